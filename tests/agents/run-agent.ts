import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Agent, Errand } from "./agent.ts";

export type AgentRun = { code: number | null; output: string; seconds: number; timedOut: boolean };

const KEPT_CHARACTERS = 100_000;

type Run = {
  agent: Agent;
  folder: string;
  home: string;
  work: string;
  errand: Errand;
  patienceMs: number;
  /** When its user has seen enough; never, where nothing is told. */
  enough?: () => Promise<void>;
};

/** Runs an agent once with a home of its own, so that nothing of this machine's user is read or changed. */
export async function runAgent({ agent, folder, home, work, errand, patienceMs, enough }: Run): Promise<AgentRun> {
  const { args, environment } = agent.command(errand);
  const startedAtMs = performance.now();
  const child = spawn(agent.program(folder), args, {
    cwd: work,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what the agent started ends with it.
    detached: true,
  });
  let output = "";
  const keep = (bytes: Buffer): void => void (output = (output + bytes.toString()).slice(-KEPT_CHARACTERS));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let timedOut = false;
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    signal("SIGKILL");
  }, patienceMs);
  // As Ctrl-C does. Where it never comes to that, the trial says how the requests ended.
  void enough?.().then(
    () => signal("SIGINT"),
    () => undefined,
  );
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output, seconds: (performance.now() - startedAtMs) / 1000, timedOut };
  } finally {
    clearTimeout(timer);
  }
}
