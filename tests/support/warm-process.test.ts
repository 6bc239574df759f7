import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { beginFile, endFile, processorMsOf, type TimeSpent } from "./time-spent.ts";
import { until } from "./until.ts";
import { processorMsOfHosts, startProgram } from "./warm-process.ts";

/** What stands in for the packed program: its first word says what to do. */
const PROGRAM = `
export async function runTollgate([, , word]) {
  const asked = word === "wait" ? new Promise((resolve) => process.once("SIGTERM", resolve)) : null;
  process.stdout.write(\`\${word} in \${process.cwd()} with \${Object.keys(process.env).join(" ")}\\n\`);
  if (word === "refuse" || word === "leave") { process.stderr.write("no\\n"); process.exitCode = 1; }
  if (word === "leave") setTimeout(() => undefined, 60_000);
  if (word === "exit") process.exit(3);
  if (word === "burn") {
    for (let used = process.cpuUsage(); used.user + used.system < 600_000; used = process.cpuUsage());
    process.stdout.write("burnt\\n");
    await new Promise((resolve) => process.once("SIGTERM", resolve));
  }
  await asked;
}
`;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tollgate-warm-")));
  writeFileSync(join(folder, "tollgate.js"), PROGRAM);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  vi.stubEnv("TEST_HOSTS", join(folder, "hosts"));
  vi.stubEnv("TEST_PROGRAM", folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const start = (word: string, env: Record<string, string> = {}) =>
  startProgram({ words: [word], main: "main.js", cwd: folder, env });

test("one command after the other runs in the same process, each in its own surroundings", async () => {
  const first = await start("one", { FIRST: "1" });
  const code = await first.exited;
  const second = await start("two", { SECOND: "2" });
  await second.exited;

  expect(code).toBe(0);
  expect(second.pid).toBe(first.pid);
  expect(first.stdout()).toBe(`one in ${folder} with FIRST\n`);
  expect(second.stdout()).toBe(`two in ${folder} with SECOND\n`);
});

test("commands at the same time have a process each", async () => {
  const [one, other] = await Promise.all([start("wait"), start("wait")]);
  await until(() => one.stdout() !== "" && other.stdout() !== "", "both have begun");
  for (const waiting of [one, other]) waiting.kill("SIGTERM");

  expect(await Promise.all([one.exited, other.exited])).toEqual([0, 0]);
  expect(one.pid).not.toBe(other.pid);
});

test("a process is used again after a command that failed and left nothing open", async () => {
  const refused = await start("refuse");
  const refusedCode = await refused.exited;
  const after = await start("one");
  await after.exited;

  expect(refusedCode).toBe(1);
  expect(refused.stderr()).toBe("no\n");
  expect(after.pid).toBe(refused.pid);
});

test("a process is not used again after a command that failed with something open, exited or was killed", async () => {
  const refused = await start("leave");
  const refusedCode = await refused.exited;
  const left = await start("exit");
  const leftCode = await left.exited;
  const killed = await start("wait");
  killed.kill("SIGKILL");
  const killedCode = await killed.exited;
  const after = await start("one");
  await after.exited;

  expect([refusedCode, leftCode, killedCode]).toEqual([1, 3, null]);
  expect(killed.hasEnded()).toBe(true);
  expect([refused.pid, left.pid, killed.pid]).not.toContain(after.pid);
});

test("the processes end with the folder of the run", async () => {
  const { pid, exited } = await start("one");
  await exited;
  rmSync(join(folder, "hosts"), { recursive: true });

  await until(() => !runs(pid), "the process has ended");
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const BURNT_MS = 600;
const WATCHED = Symbol.for("tollgate.time-spent");

test.runIf(process.platform === "linux")(
  "what a process takes is counted once, also when the worker that started it sees it end",
  async () => {
    const global = globalThis as { [WATCHED]?: unknown };
    const ofThisFile = global[WATCHED];
    const times = join(folder, "times.jsonl");
    const hosts = mkdtempSync(join(folder, "hosts-"));
    vi.stubEnv("TEST_TIMES", times);
    vi.stubEnv("TEST_HOSTS", hosts);
    beginFile();
    const before = processorMsOf(process.pid)?.own ?? 0;

    const killed = await start("burn");
    await until(() => killed.stdout().includes("burnt"), "it has worked");
    killed.kill("SIGKILL");
    await killed.exited;
    await until(() => !existsSync(`/proc/${killed.pid}`), "it is gone");

    const own = (processorMsOf(process.pid)?.own ?? 0) - before;
    endFile("unit", "this");
    global[WATCHED] = ofThisFile;
    vi.unstubAllEnvs();
    const counted = (JSON.parse(readFileSync(times, "utf8")) as TimeSpent).processorMs - own;
    const taken = processorMsOfHosts(hosts);
    expect(taken).toBeGreaterThan(0.9 * BURNT_MS);
    // Counted twice it would be twice of what the process took, which is more on a busy machine.
    expect(counted / taken).toBeGreaterThan(0.9);
    expect(counted / taken).toBeLessThan(1.5);
  },
);
