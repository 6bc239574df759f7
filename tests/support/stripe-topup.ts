import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "./until.ts";

export type TopUpService = {
  url: string;
  output: () => string;
  kill: () => Promise<void>;
};

export const WEBHOOK_SECRET = "whsec_for_tests_0123456789";
export const STRIPE_KEY = "sk_test_fortests0123456789";
export const TOP_UP_TOKEN = "a-top-up-token-for-tests";

const PROGRAM = join(import.meta.dirname, "../../examples/stripe-topup/stripe-topup.ts");

export const topUpSettings = (more: Record<string, string>): Record<string, string> => ({
  STRIPE_SECRET_KEY: STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  TOPUP_TOKEN: TOP_UP_TOKEN,
  RETURN_URL: "https://example.com/paid",
  PORT: "0",
  ...more,
});

/** examples/stripe-topup as an operator runs it. */
export async function startTopUpService(environment: Record<string, string>): Promise<TopUpService> {
  const child = spawn(process.execPath, [PROGRAM], { env: environment });
  const ended = once(child, "close");
  let output = "";
  const keep = (bytes: Buffer): void => void (output += bytes.toString());
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const address = (): string | undefined => /"listening","url":"([^"]+)"/.exec(output)?.[1];
  await until(() => address() !== undefined || child.exitCode !== null, "the top-up service listens");
  const url = address();
  if (url === undefined) throw new Error(`the top-up service did not start: ${output}`);
  return {
    url,
    output: () => output,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const nowS = (): number => Math.floor(Date.now() / 1_000);

/** The `Stripe-Signature` of a body, as Stripe documents it. */
export function signatureOf(body: string, { secret = WEBHOOK_SECRET, atS = nowS() } = {}): string {
  return `t=${atS},v1=${createHmac("sha256", secret).update(`${atS}.${body}`).digest("hex")}`;
}

export type Delivered = { status: number; body: { result?: string; error?: string } };

/** One delivery of a webhook. */
export async function deliver(url: string, body: string, signature = signatureOf(body)): Promise<Delivered> {
  const headers = { "content-type": "application/json", "stripe-signature": signature };
  const response = await fetch(`${url}/webhook`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Delivered["body"] };
}
