import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unprivileged } from "../../support/postgres-binaries.ts";

/** A program of the run, with its output in a file. */
export type Part = {
  pid: number;
  alive: () => boolean;
  signal: (name: NodeJS.Signals) => void;
  /** Kills it and waits for its end. */
  kill: () => Promise<void>;
  log: () => string;
};

export type Keeper = {
  /** Every process that must not outlive the run. */
  add: (pid: number) => void;
  close: () => void;
};

/**
 * Ends what is left of a run once its process is gone, however it went: exit hooks do not run on SIGKILL. Processes are known by
 * their ids; the postmasters, which their managers start, by the file in their data folders.
 */
export function startKeeper(folder: string): Keeper {
  const script = `
    while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
    for pid in $(cat "$2/pids" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    for file in "$2"/*/data/postmaster.pid; do kill -9 "$(head -n 1 "$file" 2>/dev/null)" 2>/dev/null; done
    sleep 0.5
    rm -rf "$2"`;
  const child = spawn("sh", ["-c", script, "keeper", String(process.pid), folder], { stdio: "ignore", detached: true });
  child.unref();
  return {
    add: (pid) => appendFileSync(join(folder, "pids"), `${pid}\n`),
    close: () => void child.kill(),
  };
}

/** Starts a program as the servers' user. */
export function startPart(options: {
  name: string;
  folder: string;
  keeper: Keeper;
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
}): Part {
  const file = join(options.folder, `${options.name}.log`);
  const log = openSync(file, "a");
  const [command, args] = unprivileged(options.command, options.args);
  const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...options.environment };
  // Detached, so that an interrupt meant for the run does not end it before the run is done with it.
  const child = spawn(command, args, { cwd: "/", env, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  child.unref();
  const ended = endOf(child);
  options.keeper.add(child.pid ?? 0);
  const alive = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    alive,
    signal: (name) => void child.kill(name),
    kill: async () => {
      // It must not keep the run alive while it runs, but its end is waited for.
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
    log: () => readFileSync(file, "utf8"),
  };
}

const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
