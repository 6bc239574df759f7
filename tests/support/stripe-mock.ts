import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { installGoCommand } from "./go-module.ts";
import type { Installed } from "./install-once.ts";
import { until } from "./until.ts";

export type StripeMock = {
  url: string;
  /** Every request as it understood it, and why it rejected some. */
  output: () => string;
  stop: () => Promise<void>;
};

/** Stripe's own stand-in for its API, which checks requests against the published description. */
export const buildStripeMock = (): Promise<Installed> =>
  installGoCommand({ name: "stripe-mock", path: "github.com/stripe/stripe-mock", version: "v0.203.0" });

export async function startStripeMock(folder: string): Promise<StripeMock> {
  // It insists on a second listener, which would be on a fixed port of every interface.
  const words = ["-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0"];
  const child = spawn(join(folder, "stripe-mock"), words);
  const ended = once(child, "close");
  let output = "";
  const keep = (bytes: Buffer): void => void (output += bytes.toString());
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const address = (): string | undefined =>
    /Listening for HTTP at address: (\S+)\nListening for HTTPS at address: \S+\n/.exec(output)?.[1];
  await until(() => address() !== undefined || child.exitCode !== null, "stripe-mock listens");
  if (address() === undefined) throw new Error(`stripe-mock did not start: ${output}`);
  return {
    url: `http://${address()}`,
    output: () => output,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
