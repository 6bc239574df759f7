import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { bareEnvironment } from "./child-environment.ts";
import { ownerOf } from "./run-owner.ts";
import { countElsewhere, processorMsOf } from "./time-spent.ts";

/** What a host is asked for, and what it tells: a line of JSON each. */
export type Asked = { words: readonly string[]; main: string; cwd: string; env: Record<string, string> };
export type Told = { code: number; again: boolean };

/** A command of tollgate that is under way, in a process that is its own for as long. */
export type Started = {
  pid: number;
  stdout: () => string;
  stderr: () => string;
  hasEnded: () => boolean;
  /** Its exit code; null where a signal ended it. */
  exited: Promise<number | null>;
  kill: (signal: NodeJS.Signals) => void;
  /** What it has taken of the processor so far. */
  processorMs: () => number;
};

type Order = Asked & {
  input?: string | undefined;
  /** In a process that has run nothing before, and runs nothing afterwards. */
  alone?: boolean;
};

/** What the processes that ran several commands have taken, in milliseconds. */
export const processorMsOfHosts = (folder: string): number =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [])
    .filter((name) => name.endsWith(".processor"))
    .reduce((sum, name) => sum + Number(readFileSync(join(folder, name), "utf8")), 0);

/** Those that read standard input, of which a process has one. */
const READERS = new Set(["logs"]);
const GATEWAYS = new Set(["dev", "serve"]);
const HOST = join(import.meta.dirname, "warm-host.ts");
const START_TIMEOUT_MS = 600_000;
const OUTPUTS = ["stdout", "stderr"] as const;
let asked = 0;

/** Starts a command. In a whole run it starts in a process that has run others, which takes less than half of the processor time. */
export function startProgram(order: Order): Promise<Started> {
  const folder = process.env["TEST_HOSTS"];
  const program = process.env["TEST_PROGRAM"];
  const { alone = false, input, env, words } = order;
  const own = alone || input !== undefined || env["NODE_OPTIONS"] !== undefined || READERS.has(words[0] ?? "");
  if (own || folder === undefined || program === undefined) return Promise.resolve(startAlone(order));
  // What a gateway logs late must not be in what a command says.
  const kind = GATEWAYS.has(words[0] ?? "") ? "gateways" : "commands";
  return startWarm(order, { folder: join(folder, kind), program });
}

function startAlone({ words, main, cwd, env, input }: Order): Started {
  const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  // A command that refuses before it has read what is piped in breaks the pipe; its exit code is what counts.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const said = { stdout: "", stderr: "" };
  for (const name of OUTPUTS) child[name].on("data", (bytes: Buffer) => (said[name] += bytes.toString()));
  return {
    pid: child.pid ?? 0,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    exited: (once(child, "close") as Promise<[number | null]>).then(([code]) => code),
    kill: (signal) => void child.kill(signal),
    processorMs: () => processorMsOf(child.pid ?? 0)?.own ?? 0,
  };
}

type Hosts = { folder: string; program: string };

async function startWarm({ words, main, cwd, env }: Order, hosts: Hosts): Promise<Started> {
  const { pid, socket, before } = await claimHost(hosts);
  const place = (end: string): string => join(hosts.folder, `${pid}.${end}`);
  const processorMs = (): number => (processorMsOf(pid)?.own ?? notedIn(hosts.folder, pid)) - before;
  const read = (end: string): string => readFileSync(place(end), "utf8");
  let ended: { code: number | null; stdout: string; stderr: string } | null = null;
  const exited = new Promise<number | null>((resolve) => {
    const end = (code: number | null): void => {
      if (ended !== null) return;
      countElsewhere(processorMs());
      ended = { code, stdout: read("stdout"), stderr: read("stderr") };
      resolve(code);
    };
    const lines = createInterface({ input: socket });
    lines.on("error", () => undefined);
    lines.on("line", (line) => {
      const told = JSON.parse(line) as Told;
      end(told.code);
      if (!told.again) return;
      socket.end();
      for (const name of OUTPUTS) truncateSync(place(name));
      renameSync(place("taken"), place("free"));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => end(existsSync(place("code")) ? Number(readFileSync(place("code"), "utf8")) : null));
  });
  socket.write(`${JSON.stringify({ words, main, cwd, env } satisfies Asked)}\n`);
  return {
    pid,
    stdout: () => ended?.stdout ?? read("stdout"),
    stderr: () => ended?.stderr ?? read("stderr"),
    hasEnded: () => ended !== null,
    exited,
    kill: (signal) => {
      if (ended !== null) return;
      if (signal === "SIGKILL") writeFileSync(place("processor"), String(before + processorMs()));
      process.kill(pid, signal);
    },
    processorMs,
  };
}

/** What a process that has ended had taken, as it or who killed it wrote down. */
function notedIn(folder: string, pid: number): number {
  const file = join(folder, `${pid}.processor`);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

/** One that has nothing to do, or a new one. */
async function claimHost({ folder, program }: Hosts): Promise<{ pid: number; socket: Socket; before: number }> {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".free"))) {
    const pid = Number.parseInt(name, 10);
    const socket = renamed(folder, pid) ? await reach(join(folder, `${pid}.sock`)) : null;
    if (socket) return { pid, socket, before: processorMsOf(pid)?.own ?? 0 };
  }
  const unnamed = OUTPUTS.map((name) => join(folder, `${process.pid}-${++asked}.${name}`));
  const files = unnamed.map((path) => openSync(path, "a"));
  const words = [HOST, folder, program, String(ownerOf())];
  const child = spawn(process.execPath, words, {
    detached: true,
    cwd: "/",
    stdio: ["ignore", ...files],
    env: bareEnvironment(),
  });
  child.unref();
  const pid = child.pid ?? 0;
  // Each file counts what it asked of a process. The worker that started it, perhaps for another file, is not to count all of that again.
  child.once("exit", () => countElsewhere(-notedIn(folder, pid)));
  for (const [index, name] of OUTPUTS.entries()) renameSync(unnamed[index] ?? "", join(folder, `${pid}.${name}`));
  for (const file of files) closeSync(file);
  writeFileSync(join(folder, `${pid}.taken`), "");
  for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await sleep(10)) {
    const socket = await reach(join(folder, `${pid}.sock`));
    if (socket) return { pid, socket, before: 0 };
    if (child.exitCode !== null) break;
  }
  rmSync(join(folder, `${pid}.taken`), { force: true });
  throw new Error("no process to run a command in");
}

/** Of several that want it, one renames it. */
function renamed(folder: string, pid: number): boolean {
  try {
    renameSync(join(folder, `${pid}.free`), join(folder, `${pid}.taken`));
    return true;
  } catch {
    return false;
  }
}

async function reach(path: string): Promise<Socket | null> {
  if (!existsSync(path)) return null;
  const socket = connect(path);
  return once(socket, "connect").then(
    () => socket,
    () => null,
  );
}
