import type { Clock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { Ask, Ledger, Settlement } from "../ledger.ts";

/** As many as the batcher has turns under way at most. */
const CONNECTIONS = 4;
const LIFETIME_MS = 60_000;
const AMOUNTS = { credits: 1n, tokens: null };
const NOTHING = { credits: 0n, tokens: null };
const CHAIN = { id: 0, counters: [] };

/**
 * Asks the ledger about requests that nobody made, on several connections at once, so that the first real ones find connections open,
 * statements prepared and functions compiled. Nothing is written: a key that does not exist is stale, and a request that was never
 * admitted cannot be settled.
 */
export async function warmUp(
  ledger: Pick<Ledger, "turn">,
  processId: string,
  clock: Pick<Clock, "nowMs">,
): Promise<void> {
  const turnOf = (requests: number): Promise<unknown> => {
    const ids = Array.from({ length: requests }, () => createId(clock.nowMs()));
    return ledger.turn(processId, { settlements: ids.map(endOf), asks: ids.map(askOf) });
  };
  // One request is served by other statements than several.
  for (const requests of [1, 2]) await Promise.all(Array.from({ length: CONNECTIONS }, () => turnOf(requests)));
}

const askOf = (id: string): Ask => ({
  id,
  bucket: 0,
  keyId: id,
  keyVersion: 0,
  chain: CHAIN,
  rpmLimit: null,
  least: AMOUNTS,
  most: AMOUNTS,
  unlimited: false,
  model: "",
  priceVersion: 0,
  lifetimeMs: LIFETIME_MS,
  claim: null,
});

const endOf = (id: string): Settlement => ({
  id,
  bucket: 0,
  keyId: id,
  chain: CHAIN,
  outcome: "completed",
  price: NOTHING,
  usage: NO_USAGE,
  digest: null,
  contentDelivered: false,
  record: null,
  answer: null,
  absorbed: NOTHING,
  waived: NOTHING,
  capPerHour: 1n,
  accountCapPerHour: 1n,
});
