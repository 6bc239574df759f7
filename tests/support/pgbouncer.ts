import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { accepts } from "./accepts.ts";
import { serverFolder, unprivileged } from "./postgres-binaries.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const INSTALLED = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];

/** Why tests with a pooler cannot run here; null when they can. */
export const whyNoPgbouncer = (): string | null =>
  INSTALLED.some((path) => existsSync(path)) ? null : `PgBouncer is not installed (looked for ${INSTALLED.join(", ")})`;

export type Pgbouncer = { port: number; pid: number; close: () => Promise<void> };

/** What a configuration file says that only holds on the machine it was written for. */
type Place = { listenPort: number; folder: string };

/** A PgBouncer of its own, as the unprivileged user the servers run as. It has nothing to do with an installed service. */
export async function startPgbouncer(options: {
  configuration: (place: Place) => string;
  /** Names and passwords, as in `userlist.txt`; the configuration finds it in the folder. */
  users: Readonly<Record<string, string>>;
}): Promise<Pgbouncer> {
  const folder = await serverFolder();
  const listenPort = await freePort();
  const users = Object.entries(options.users).map(([name, password]) => `"${name}" "${password}"\n`);
  await writeFile(join(folder, "userlist.txt"), users.join(""));
  await writeFile(join(folder, "pgbouncer.ini"), options.configuration({ listenPort, folder }));

  const path = INSTALLED.find((candidate) => existsSync(candidate)) ?? "pgbouncer";
  const [command, args] = unprivileged(path, [join(folder, "pgbouncer.ini")]);
  const child = spawn(command, args, { cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => void (output += bytes.toString()));
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  await until(async () => !alive() || (await accepts(listenPort)), "PgBouncer answers", 60_000);
  if (!alive()) throw new Error(`PgBouncer did not start: ${output}`);
  return { port: listenPort, pid: child.pid ?? 0, close: () => close(child, folder) };
}

async function close(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    // At once, whoever is connected.
    child.kill("SIGTERM");
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
}
