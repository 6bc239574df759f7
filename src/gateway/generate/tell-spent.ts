import type { AdmitVerdict, NamedCounter } from "../../ledger/ledger.ts";

/** Whoever asks for no more than this and is refused has nothing left that is worth much. */
const LITTLE_TOKENS = 1_024;
/** The ledger tells by itself of what has less than this part left. */
const HUNDREDTH = 100n;
/** Counters whose telling is remembered; beyond it, all are forgotten. */
const MOST_REMEMBERED = 10_000;

type Refusal = Pick<AdmitVerdict, "kind"> & { named?: NamedCounter };

/**
 * A limit is at its end, too, when it refuses a request that asks for little. The ledger does not know what a request asks for, so
 * it is told: once for each counter and period, since a client may try again without end.
 */
export function createTellSpent(spent: (counter: { id: number; bucket: number }) => Promise<unknown>) {
  const told = new Set<string>();
  return (verdict: Refusal, { bucket, outputTokens }: { bucket: number; outputTokens: number | null }): void => {
    const { kind, named } = verdict;
    if ((kind !== "insufficient" && kind !== "limit_reached") || named === undefined) return;
    const { id, amount, posted, renewsAtMs } = named;
    if ((outputTokens ?? 0) > LITTLE_TOKENS || (named.kind === "limit" && posted * HUNDREDTH < amount)) return;
    const name = `${id} ${amount} ${posted > 0n} ${renewsAtMs}`;
    if (told.has(name)) return;
    if (told.size >= MOST_REMEMBERED) told.clear();
    told.add(name);
    spent({ id, bucket }).catch(() => told.delete(name));
  };
}
