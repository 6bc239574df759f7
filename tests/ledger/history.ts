import type {
  Ask,
  Checkpoint,
  Funded,
  Funding,
  LimitChange,
  Refund,
  Settled,
  Settlement,
  Swept,
  Undone,
  AdmitVerdict,
  Voided,
} from "../../src/ledger/ledger.ts";
import type { Changed } from "./model-counters.ts";

/** What was asked of a ledger and what it answered, with the ledger's time. */
export type LedgerEvent = { atMs: number } & (
  | { type: "admit"; processId: string; asks: readonly Ask[]; verdicts: AdmitVerdict[] }
  | { type: "settle"; settlements: readonly Settlement[]; results: Settled[] }
  | { type: "void"; requests: readonly Undone[]; results: Voided[] }
  | { type: "suspend"; keyIds: string[]; suspended: string[] }
  | { type: "checkpoint"; checkpoints: readonly Checkpoint[]; closed: string[] }
  | { type: "sweep"; swept: Swept[] }
  | { type: "fund"; funding: Funding; result: Funded }
  | { type: "limit"; change: LimitChange; result: Funded }
  | { type: "refund"; refund: Refund; result: Funded }
  /** A change of the tree, with the sums of every counter before and after. */
  | { type: "structure"; what: string; result: Changed; before: Record<string, string>; after: Record<string, string> }
  | { type: "usage"; summary: unknown }
);

/** Every pair of a request and its answer, in order. */
export function decisionsOf(history: readonly LedgerEvent[]): { atMs: number; ask: Ask; verdict: AdmitVerdict }[] {
  return history.flatMap((event) =>
    event.type === "admit"
      ? event.asks.map((ask, index) => ({ atMs: event.atMs, ask, verdict: event.verdicts[index] as AdmitVerdict }))
      : [],
  );
}

export function settlementsOf(
  history: readonly LedgerEvent[],
): { atMs: number; settlement: Settlement; result: Settled }[] {
  return history.flatMap((event) =>
    event.type === "settle"
      ? event.settlements.map((settlement, index) => ({
          atMs: event.atMs,
          settlement,
          result: event.results[index] as Settled,
        }))
      : [],
  );
}

/** In a batch a refused request may be told what was available at the start or in its turn; both were true. */
export function loosened(events: readonly LedgerEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type !== "admit" || event.asks.length === 1) return event;
    return { ...event, verdicts: event.verdicts.map(loose) };
  });
}

/** Without what others held at the time, and the counter that was named for it. */
export function loose(verdict: AdmitVerdict): unknown {
  if (verdict.kind === "reserved") return { ...verdict, available: "true then", named: "true then" };
  if (verdict.kind !== "insufficient" && verdict.kind !== "limit_reached") return verdict;
  return { ...verdict, available: "true then", named: { ...verdict.named, available: "true then" } };
}
