import { CommandError } from "../report-failure.ts";

type Listeners = { listen: { port: number }; admin: { port: number } };

/** A port of `serve` that is taken, told with the setting that chooses it; null for any other failure. */
export function portProblem(error: unknown, { listen, admin }: Listeners): CommandError | null {
  if (!(error instanceof Error)) return null;
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== "EADDRINUSE") return null;
  if (listen.port === admin.port)
    return new CommandError(`PORT and TOLLGATE_ADMIN_PORT are both ${listen.port}. Each listener needs its own.`);
  const variable = port === listen.port ? "PORT" : "TOLLGATE_ADMIN_PORT";
  return new CommandError(`${error.message}. Stop what listens there, or set ${variable} to another port.`, {
    cause: error,
  });
}
