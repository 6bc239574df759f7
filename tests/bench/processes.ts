import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Cores } from "./load-job.ts";

export type Started = {
  pid: number;
  /** The first line of standard output; rejects when the process ends without one. */
  firstLine: Promise<string>;
  /** Resolves when the process has ended, with its exit code. */
  ended: Promise<number | null>;
  closeInput: () => void;
  stop: () => Promise<void>;
};

export type StartOptions = {
  /** Arguments of this very Node. */
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

export function createProcesses(): Processes {
  const children = new Set<ChildProcess>();
  const pinned = availableParallelism() >= 2 && spawnSync("taskset", ["--version"]).status === 0;
  // The bench itself stays away from the core of the proxies.
  if (pinned) spawnSync("taskset", ["-cp", String(CORES.load), String(process.pid)]);

  return {
    cores: pinned ? CORES : null,
    start: (options) => {
      const command = pinned ? ["taskset", "-c", String(CORES[options.role]), process.execPath] : [process.execPath];
      const child = spawnLogged([...command, ...options.words], options);
      children.add(child);
      child.once("exit", () => children.delete(child));
      return startedOf(child, options.words.join(" ").slice(0, 200));
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
  const firstLine = new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    void ended.then((code) => reject(new Error(`ended with code ${code} before it was ready: ${title}`)));
  });
  // Whoever does not wait for the line, because the process writes to a file, need not handle its absence either.
  firstLine.catch(() => {});
  return { pid: child.pid ?? 0, firstLine, ended, closeInput: () => child.stdin?.end(), stop: () => stop(child) };
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
