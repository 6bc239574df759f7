import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sharedFolder } from "./recordings.ts";

/** What the provider says it saw of a call, as far as black-box tests read it. */
export type WitnessedCall = {
  seq: number;
  callId: string;
  model: string | null;
  body: unknown;
  headers: Record<string, string>;
  credentialDigest: string | null;
  status: number | null;
  paused: boolean;
  tokensProduced: number;
  bytesProduced: number;
  ended: "completed" | "failed" | "caller_gone" | null;
  receivedAtMs: number;
  callerGoneAtMs: number | null;
};

export type SimulatorProcess = {
  url: string;
  pid: number;
  witness: () => Promise<WitnessedCall[]>;
  release: () => Promise<void>;
  stop: () => Promise<number | null>;
};

/** The simulator as its own process, driven over HTTP alone. */
export async function startSimulatorProcess(): Promise<SimulatorProcess> {
  const shared = sharedFolder();
  const folder = shared === null ? [] : ["--recordings", join(shared, "recordings")];
  const packed = process.env["TEST_PROGRAM"];
  const entry =
    packed === undefined ? join(import.meta.dirname, "../../src/simulator/main.ts") : join(packed, "simulator.js");
  const child = spawn(process.execPath, [entry, "--port", "0", ...folder], { stdio: ["ignore", "pipe", "pipe"] });
  // Inherited, it would keep the test runner waiting for ever after a test file that was ended by force.
  child.stderr.pipe(process.stderr, { end: false });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    pid: child.pid ?? 0,
    witness: async () => {
      const text = await (await fetch(`${url}/sim/witness`)).text();
      return text
        .split("\n")
        .filter((row) => row !== "")
        .map((row) => JSON.parse(row) as WitnessedCall);
    },
    release: async () => {
      await (await fetch(`${url}/sim/release`, { method: "POST" })).text();
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}
