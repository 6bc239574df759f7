import { createBalancesStore } from "../../ledger/verify/days/balances-store.ts";
import { createDayStore } from "../../ledger/verify/days/day-store.ts";
import { startVerifyDays, type VerifyDays } from "../../ledger/verify/days/verify-days.ts";
import type { Queryable } from "../../db/database.ts";
import type { LedgerDatabase, ProcessParts } from "./process-parts.ts";

type Round = { verifiedAtMs: number | null; mismatches: number };

/** Verifies every ledger day by day, unless the settings say otherwise. Several are told as one: the oldest moment, and all mismatches. */
export function startVerifying(parts: ProcessParts, processId: string): VerifyDays {
  const { config, events, ledgers } = parts;
  if (config.verification.enabled === "off") return { stop: () => Promise.resolve() };
  const rounds = new Map<LedgerDatabase, Round>();
  const started = ledgers.map((ledger) =>
    startOne(parts, { ledger, processId }, (round) => {
      rounds.set(ledger, round);
      if (rounds.size === ledgers.length) events.ledgerVerified(joined([...rounds.values()]));
    }),
  );
  return { stop: async () => void (await Promise.all(started.map(({ stop }) => stop()))) };
}

function startOne(
  { config, database, operatorDatabase, events, clock }: ProcessParts,
  { ledger, processId }: { ledger: LedgerDatabase; processId: string },
  onState: (round: Round) => void,
): VerifyDays {
  const mine = ledger.database === database ? operatorDatabase : ledger.database;
  const reading = alone(mine);
  return startVerifyDays({
    openStore: (step) => {
      const paced: Queryable = { query: (sql, values) => step(() => reading.query(sql, values)) };
      return {
        days: createDayStore(paced, mine),
        balances: (days, onGrown) => createBalancesStore(paced, days, onGrown),
      };
    },
    processId,
    clock,
    sharePercent: config.verification.sharePercent,
    onMismatch: events.ledgerMismatch,
    onState,
    onDone: () => events.dutyDone("verify"),
    onFailed: (error) => events.dutyFailed("verify", error),
  });
}

/** In one process of the server: others that helped would use cores that the share does not count. */
const alone = (database: Pick<LedgerDatabase["database"], "transaction">): Queryable => ({
  query: (sql, values) =>
    database.transaction(async (tx) => {
      await tx.script("set local jit = off; set local max_parallel_workers_per_gather = 0");
      return tx.query(sql, values);
    }),
});

const joined = (rounds: readonly Round[]): Round => ({
  verifiedAtMs: rounds.some(({ verifiedAtMs }) => verifiedAtMs === null)
    ? null
    : Math.min(...rounds.map(({ verifiedAtMs }) => verifiedAtMs ?? 0)),
  mismatches: rounds.reduce((sum, { mismatches }) => sum + mismatches, 0),
});
