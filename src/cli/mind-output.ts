import { reportFailure } from "./report-failure.ts";

/**
 * A result that cannot be written has not been delivered, which is a failure and no defect. Whoever stopped reading, as `head`
 * does, knows that already and is told nothing; nor is anybody when it is the errors that cannot be written.
 */
export function mindOutput(): void {
  // A command may be run more than once in a process, by tests; one listener is enough.
  if (process.stdout.listeners("error").includes(giveUp)) return;
  process.stdout.on("error", giveUp);
  process.stderr.on("error", ignore);
}

function giveUp(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") reportFailure(error, process.argv.includes("--json"));
  process.exit(1);
}

const ignore = (): void => undefined;
