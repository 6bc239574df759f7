import { Fault, type FaultCode } from "../core/fault.ts";
import type { Ask } from "../ledger/ledger.ts";
import type { AskLedger } from "./ask-ledger.ts";
import { wholeChain } from "./chain-for.ts";
import type { Caller } from "./open-request.ts";
import { overRate } from "./verdict-fault.ts";

/** Counts a request that reserves nothing against the rate of its key, and answers who that is by now. Throws when the key is over it. */
export type CountRequest = (caller: Caller, id: string) => Promise<Caller>;

export const createCountRequest =
  ({ askLedger }: { askLedger: AskLedger }): CountRequest =>
  async (caller, id) => {
    const { verdict, caller: now } = await askLedger(caller, (key) => ({
      ...COUNT_ONLY,
      id,
      bucket: key.bucket,
      keyId: key.id,
      keyVersion: key.version,
      chain: wholeChain(key),
      rpmLimit: key.rpmLimit,
    }));
    if (verdict.kind === "rate_limited") throw overRate(now.key.rpmLimit, verdict.retryAfterMs);
    return now;
  };

const NOTHING = { credits: 0n, tokens: 0n };

const COUNT_ONLY: Omit<Ask, "id" | "bucket" | "keyId" | "keyVersion" | "chain" | "rpmLimit"> = {
  least: NOTHING,
  most: NOTHING,
  unlimited: false,
  model: "",
  priceVersion: 0,
  lifetimeMs: 0,
  claim: null,
};

/** What the gateway cannot do just now is not the caller's doing, and a 429 does not count. [interface decision 8] */
const UNCOUNTED: ReadonlySet<FaultCode> = new Set(["service_unavailable", "rate_limit_exceeded"]);

/**
 * For what refused a request before the ledger has seen it; throws it again. A refusal counts too, so that a flood of bad requests
 * meets the key's rate; one that cannot be counted because the ledger is away stays the refusal it was. [interface decision 8]
 */
export async function countRefusal(refused: unknown, count: () => Promise<unknown>): Promise<never> {
  if (!(refused instanceof Fault) || UNCOUNTED.has(refused.code)) throw refused;
  await count().catch((refusal: unknown) => {
    if (refusal instanceof Fault && refusal.code !== "service_unavailable") throw refusal;
  });
  throw refused;
}
