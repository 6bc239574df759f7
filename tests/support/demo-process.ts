import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "./child-environment.ts";
import { MAIN } from "./run-tollgate.ts";
import { countProcessor, processorMsOf, waitingFor } from "./time-spent.ts";
import { until } from "./until.ts";

type Ready = {
  publicUrl: string;
  adminUrl: string;
  adminToken: string;
  keys: { credit: string; token_budget: string };
};

export type DemoProcess = Ready & {
  child: ChildProcess;
  /** Everything it wrote. */
  said: () => string;
  /** What the admin API answers. */
  ask: <Answer>(path: string) => Promise<Answer>;
  stop: () => Promise<void>;
};

/**
 * Enough for two whole weeks; demo/create-demo.test.ts has as many as a period needs to turn. The long run seeds what a user gets, which
 * takes a quiet machine half a minute.
 */
export const DEMO_DAYS = process.env["TEST_LONG"] === "1" ? 90 : 17;

export const DEMO_PATIENCE_MS = 400_000;

/** `tollgate dev --demo` in a folder, as a user starts it. */
export const startDemoProcess = (home: string): Promise<DemoProcess> => waitingFor("gateway", () => startDemo(home));

async function startDemo(home: string): Promise<DemoProcess> {
  const file = join(home, "ready.json");
  rmSync(file, { force: true });
  const child = spawn(
    process.execPath,
    [MAIN, "dev", "--demo", "--days", `${DEMO_DAYS}`, "--port", "0", "--ready-file", file],
    {
      cwd: home,
      env: { ...childEnvironment(), HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`the demo did not start: ${said}`);
    return existsSync(file) && said.includes("Press Ctrl-C to stop.");
  };
  await until(isReady, "the demo is ready", DEMO_PATIENCE_MS);
  countProcessor("gateway", processorMsOf(child.pid ?? 0)?.own ?? 0);
  const ready = JSON.parse(readFileSync(file, "utf8")) as Ready;
  return {
    ...ready,
    child,
    said: () => said,
    ask: async (path) => {
      const headers = { authorization: `Bearer ${ready.adminToken}` };
      const response = await fetch(`${ready.adminUrl}/admin/v1${path}`, { headers });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
