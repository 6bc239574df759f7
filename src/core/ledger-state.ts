/** Why money cannot move, for the person who is called: what is wrong, and the next command. No secret and no text from a client is in it. */
export type LedgerTrouble = {
  /** Begins in lower case: "the disk of PostgreSQL is full". */
  words: string;
  fix: string;
  /** As PostgreSQL names it; null: it did not say anything. */
  sqlState: string | null;
};

/** Whether requests can start and end. `degraded`: some calls failed lately, and requests with them unless they were sent again. `down`: those that want to start get 503. */
export type LedgerState = { state: "ok" } | { state: "degraded" | "down"; sinceMs: number; trouble: LedgerTrouble };

const GET_503 = { degraded: "Some calls to the ledger failed in the last seconds", down: "Requests get 503" };

/** As operators read it in a list of reasons; null: nothing is wrong. */
export function describeLedger(ledger: LedgerState): string | null {
  if (ledger.state === "ok") return null;
  const { words, fix, sqlState } = ledger.trouble;
  return `${GET_503[ledger.state]}: ${words}${sqlState === null ? "" : ` (SQLSTATE ${sqlState})`}. ${fix}`;
}
