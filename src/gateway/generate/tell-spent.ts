import type { AdmitVerdict, NamedCounter } from "../../ledger/ledger.ts";

/** Whoever asks for no more than this and is refused has nothing left that is worth much. */
const LITTLE_TOKENS = 1_024;
/** A client may try again without end. What was told before, the ledger does not tell again. */
const EVERY_MS = 60_000;
/** Counters of which the last telling is remembered; beyond it, all are forgotten. */
const MOST_REMEMBERED = 10_000;

type Parts = {
  spent: (counter: { id: number; bucket: number }) => Promise<unknown>;
  clock: { elapsedMs: () => number };
};
type Refusal = Pick<AdmitVerdict, "kind"> & { named?: NamedCounter };

/**
 * A limit is at its end, too, when it refuses a request that asks for little. The ledger does not know what a request asks for, so it is
 * told, of one counter once a minute. `outputTokens` null: the request sets no limit, and is refused for the least that it could cost.
 */
export function createTellSpent({ spent, clock }: Parts) {
  const toldAtMs = new Map<number, number>();
  return (
    { kind, named }: Refusal,
    { bucket, outputTokens }: { bucket: number; outputTokens: number | null },
  ): void => {
    if ((kind !== "insufficient" && kind !== "limit_reached") || named === undefined) return;
    const { id } = named;
    const nowMs = clock.elapsedMs();
    if ((outputTokens ?? 0) > LITTLE_TOKENS || nowMs - (toldAtMs.get(id) ?? -Infinity) < EVERY_MS) return;
    if (toldAtMs.size >= MOST_REMEMBERED) toldAtMs.clear();
    toldAtMs.set(id, nowMs);
    spent({ id, bucket }).catch(() => toldAtMs.delete(id));
  };
}
