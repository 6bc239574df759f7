import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";

/** Who runs where; null when nothing is pinned. */
export type Cores = { proxy: number; load: number };

export type Started = {
  pid: number;
  /** The next line of standard output; rejects when the process has ended. */
  nextLine: () => Promise<string>;
  /** Resolves when the process has ended, with its exit code. */
  ended: Promise<number | null>;
  write: (bytes: string | Buffer) => void;
  closeInput: () => void;
  stop: () => Promise<void>;
};

export type StartOptions = {
  /** This very Node unless named. */
  program?: string;
  words: readonly string[];
  role: "proxy" | "load";
  cwd?: string;
  env?: Record<string, string>;
  /** Where standard output and error go instead of being read. */
  logFile?: string;
};

/** Children of the bench, each pinned to the core of its role. None outlives it: `stopAll` ends every one by its id. */
export type Processes = {
  /** Null when nothing is pinned. */
  cores: Cores | null;
  start: (options: StartOptions) => Started;
  stopAll: () => Promise<void>;
  /** For the last moment, when nothing can be awaited any more. */
  killAll: () => void;
};

const CORES: Cores = { proxy: 0, load: 1 };
const STOP_LIMIT_MS = 10_000;

export function createProcesses(wish: "pinned" | "anywhere" = "pinned"): Processes {
  const children = new Set<ChildProcess>();
  const possible = availableParallelism() >= 2 && spawnSync("taskset", ["--version"]).status === 0;
  const pinned = wish === "pinned" && possible;
  // The bench itself stays away from the core of the proxies.
  if (pinned) spawnSync("taskset", ["-cp", String(CORES.load), String(process.pid)]);

  return {
    cores: pinned ? CORES : null,
    start: (options) => {
      const program = options.program ?? process.execPath;
      const command = pinned ? ["taskset", "-c", String(CORES[options.role]), program] : [program];
      const child = spawnLogged([...command, ...options.words], options);
      children.add(child);
      child.once("exit", () => children.delete(child));
      return startedOf(child, [program, ...options.words].join(" ").slice(0, 200));
    },
    stopAll: async () => {
      await Promise.all([...children].map(stop));
    },
    killAll: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

function spawnLogged([command = "", ...words]: readonly string[], { cwd, env, logFile }: StartOptions): ChildProcess {
  if (logFile === undefined)
    return spawn(command, words, { cwd, env: env ?? process.env, stdio: ["pipe", "pipe", "inherit"] });
  const log = openSync(logFile, "a");
  try {
    return spawn(command, words, { cwd, env: env ?? process.env, stdio: ["ignore", log, log] });
  } finally {
    closeSync(log);
  }
}

function startedOf(child: ChildProcess, title: string): Started {
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  return {
    pid: child.pid ?? 0,
    nextLine:
      child.stdout === null ? () => Promise.reject(new Error(`${title} writes to a file`)) : linesOf(child, title),
    ended,
    write: (bytes) => child.stdin?.write(bytes),
    closeInput: () => child.stdin?.end(),
    stop: () => stop(child),
  };
}

function linesOf(child: ChildProcess, title: string): Started["nextLine"] {
  if (child.stdout === null) throw new Error(`${title} has no output to read`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`ended before it answered: ${title}`);
    return line.value;
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  child.kill("SIGTERM");
  const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}
