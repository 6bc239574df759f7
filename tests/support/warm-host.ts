/**
 * A process that runs one command of tollgate after the other. To load the program takes most of the processor time of a command and of
 * the start of a gateway, and a whole run has hundreds of each. It ends with the run or its folder, and when whoever it works for is gone.
 *
 *   node tests/support/warm-host.ts <folder> <program> <process of the run>
 */
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { Asked, Told } from "./warm-process.ts";

const [folder = "", program = "", owner = ""] = process.argv.slice(2);
const { runTollgate } = (await import(join(program, "tollgate.js"))) as {
  runTollgate: (argv: readonly string[]) => Promise<void>;
};

/** A command line that was not understood opened nothing. */
const MISUNDERSTOOD = 2;
const TURNS = 10;
/** What earlier commands left behind grows slowly. */
const MOST_RUNS = 60;
const SIGNALS = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as const;
const place = (end: string): string => join(folder, `${process.pid}.${end}`);

process.setMaxListeners(0);
process.on("exit", (code) => {
  if (!existsSync(folder)) return;
  noteProcessor();
  writeFileSync(place("code"), String(code));
});
setInterval(() => (existsSync(folder) && runs(Number(owner))) || process.exit(0), 500);

let ran = 0;
createServer((socket) => {
  let busy = false;
  socket.on("error", () => undefined);
  socket.on("close", () => busy && process.exit(1));
  const lines = createInterface({ input: socket });
  lines.on("error", () => undefined);
  lines.once("line", (line) => {
    busy = true;
    void run(socket, JSON.parse(line) as Asked).then(() => {
      busy = false;
    });
  });
}).listen(place("sock"));

async function run(socket: Socket, { words, main, cwd, env }: Asked): Promise<void> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, main, ...words];
  process.exitCode = undefined;
  const before = openNow();

  await runTollgate(process.argv);

  const code = codeSet();
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  process.exitCode = undefined;
  process.chdir("/");
  ran += 1;
  noteProcessor();
  // A command that failed may have left something open; what it closed last is gone after a turn or two of the loop.
  const again = (code === 0 || code === MISUNDERSTOOD || (await isClosed(before))) && ran < MOST_RUNS;
  socket.write(`${JSON.stringify({ code, again } satisfies Told)}\n`);
  if (!again) socket.end(() => process.exit(code));
}

function noteProcessor(): void {
  const { user, system } = process.cpuUsage();
  writeFileSync(place("processor"), String((user + system) / 1_000));
}

/** What keeps a process from ending by itself: sockets, servers, threads and timers, by their kind. */
function openNow(): readonly string[] {
  return process.getActiveResourcesInfo();
}

async function isClosed(before: readonly string[]): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (openNow().length <= before.length) return true;
    await setImmediate();
  }
  return false;
}

/** What the command set, which the compiler takes for what was set before it. */
function codeSet(): number {
  return Number(process.exitCode ?? 0);
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
