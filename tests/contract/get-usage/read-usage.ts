import { expect } from "vitest";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply } from "../knock.ts";

type Summary = {
  object: string;
  key: Record<string, unknown>;
  credits: Record<CreditFigure, number>;
  tokens: Record<"used" | "reserved" | "input" | "output" | "total", number> &
    Record<"budget" | "remaining", number | null>;
  requests: { total: number };
  explanation: string;
};

export const CREDIT_FIGURES = [
  "total_purchased",
  "balance",
  "reserved",
  "used",
  "remaining",
  "remaining_usd",
  "last_request_cost",
  "today_spend",
  "lifetime_spend",
] as const;
type CreditFigure = (typeof CREDIT_FIGURES)[number];

export const askUsage = (gateway: GatewayProcess, key: string, origin = ""): Promise<Reply> =>
  knock(`${gateway.publicUrl}${origin}/v1/usage`, { headers: bearer(key) });

/** The summary of a key that may read it. Its origin follows from what its secret begins with. */
export async function readUsage(gateway: GatewayProcess, key: string): Promise<Summary> {
  const reply = await askUsage(gateway, key, key.startsWith("tgt_") ? "/token" : "");
  expect(reply.status).toBe(200);
  return JSON.parse(reply.text) as Summary;
}
