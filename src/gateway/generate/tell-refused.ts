import { LRUCache } from "lru-cache";
import type { AdmitVerdict, NamedCounter, RefusalTold } from "../../ledger/ledger.ts";

/** Whoever asks for no more than this and is refused has nothing left that is worth much. */
const LITTLE_TOKENS = 1_024;
/** A client may try again without end. What was told before, the ledger does not tell again. */
const EVERY_MS = 60_000;
/** Counters of which the last telling is remembered. */
const MOST_REMEMBERED = 10_000;

type Parts = {
  refused: (refusal: RefusalTold & { bucket: number }) => Promise<unknown>;
  clock: { elapsedMs: () => number };
};
type Refused = Pick<AdmitVerdict, "kind"> & { named?: NamedCounter };

/**
 * Tells the ledger of a request that a counter refused for good, of one counter once a minute: whoever watches it is to hear of it, and a
 * turn does not know what the request asks for. `outputTokens` null: it sets no limit, and is refused for the least that it could cost.
 */
export function createTellRefused({ refused, clock }: Parts) {
  const toldAtMs = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return (
    { kind, named }: Refused,
    { bucket, outputTokens }: { bucket: number; outputTokens: number | null },
  ): void => {
    if ((kind !== "insufficient" && kind !== "limit_reached") || named === undefined) return;
    const little = (outputTokens ?? 0) <= LITTLE_TOKENS;
    const name = `${named.id} ${little}`;
    const nowMs = clock.elapsedMs();
    if (nowMs - (toldAtMs.get(name) ?? -Infinity) < EVERY_MS) return;
    toldAtMs.set(name, nowMs);
    refused({ counter: named.id, little, bucket }).catch(() => toldAtMs.delete(name));
  };
}
