import type {
  Ask,
  BudgetChange,
  Checkpoint,
  Funded,
  Funding,
  Settled,
  Settlement,
  Swept,
  Undone,
  AdmitVerdict,
  Voided,
} from "../../src/ledger/ledger.ts";

/** What was asked of a ledger and what it answered, with the ledger's time. */
export type LedgerEvent = { atMs: number } & (
  | { type: "admit"; processId: string; asks: readonly Ask[]; verdicts: AdmitVerdict[] }
  | { type: "settle"; settlements: readonly Settlement[]; results: Settled[] }
  | { type: "void"; requests: readonly Undone[]; results: Voided[] }
  | { type: "suspend"; keyIds: string[]; suspended: string[] }
  | { type: "checkpoint"; checkpoints: readonly Checkpoint[]; closed: string[] }
  | { type: "sweep"; swept: Swept[] }
  | { type: "fund"; funding: Funding; result: Funded }
  | { type: "budget"; change: BudgetChange; result: Funded }
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

/** In a batch a refused request may be told what was held at the start or in its turn; both were true. */
export function loosened(events: readonly LedgerEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type !== "admit" || event.asks.length === 1) return event;
    const verdicts = event.verdicts.map((verdict) => ("held" in verdict ? { ...verdict, held: "true then" } : verdict));
    return { ...event, verdicts };
  });
}
