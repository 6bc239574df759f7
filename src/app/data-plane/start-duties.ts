import type { Running } from "../../gateway/generate/running.ts";
import { createId } from "../../core/ids.ts";
import type { LedgerState, LedgerTrouble } from "../../core/ledger-state.ts";
import { HANGS, troubleOf } from "../../db/trouble.ts";
import { createBatcher } from "../../ledger/turn/batcher.ts";
import { startDuties } from "../../ledger/duties/duties.ts";
import { createHousekeepingStore } from "../../ledger/duties/housekeeping-store.ts";
import { createLedgerStore, ledgerFailureOf } from "../../ledger/turn/ledger-store.ts";
import { type StandbyGuard, startStandbyGuard } from "../../ledger/duties/standby-guard.ts";
import { createDiagnose } from "../../db/diagnose.ts";
import { watchLedger } from "../../ledger/state/watch-ledger.ts";
import { warmUp } from "../../ledger/turn/warm-up.ts";
import type { LedgerDatabase, ProcessParts } from "./process-parts.ts";
import { watchBusy } from "../status/watch-event-loop.ts";

export const guardStandby = ({ config, database, events, clock }: ProcessParts): Promise<StandbyGuard> =>
  startStandbyGuard({
    required: config.ledger.requireSynchronousStandby,
    read: async () => (await database.inspect())?.replication ?? null,
    clock,
    onChange: events.standbyRequired,
  });

type Beside = {
  standby: StandbyGuard;
  running: Running;
  processId: string;
  onState: (state: LedgerState) => void;
};

export const STANDBY_LACKING: LedgerTrouble = {
  words: "the database has no synchronous standby, and ledger.require_synchronous_standby is on",
  fix: "Bring a standby of synchronous_standby_names back.",
  sqlState: null,
};

/** The ledger of a process: its calls, and what the process owes it beside its requests. Requests may be admitted once it resolves. */
export async function startLedger(parts: ProcessParts, { first, last, database }: LedgerDatabase, beside: Beside) {
  const { config, events, clock } = parts;
  const { standby, running, processId } = beside;
  const isOurs = (bucket: number): boolean => bucket >= first && bucket <= last;
  const { ledger: settings } = config;
  const ledger = createLedgerStore(database);
  const failureOf = standby.doubting(ledgerFailureOf);
  const watch = watchLedger({
    clock,
    rehearse: (spill) => ledger.rehearse({ id: createId(clock.nowMs()), spill }),
    rehearsesWhenIdle: database.connections() !== null,
    troubleOf,
    hangs: HANGS,
    diagnose: createDiagnose(database === parts.database ? parts.operatorDatabase : database),
    obstacle: () => (standby.lack() === null ? null : STANDBY_LACKING),
    onChange: beside.onState,
  });
  const batcher = createBatcher({
    ledger,
    processId,
    failureOf,
    watch,
    clock,
    isBusy: watchBusy(() => clock.elapsedMs()),
    limits: {
      items: settings.batchItems,
      bytes: settings.batchBytes,
      queued: settings.queue,
      timeoutMs: settings.timeoutMs,
      retryMs: settings.retryMs,
      paceMs: settings.paceMs,
    },
    settleTimeoutMs: settings.settleTimeoutMs,
    voidTimeoutMs: settings.voidTimeoutMs,
    timesOf: parts.metrics.ledgerLane,
    // The sweeper ends their holds, and what the ledger is like is told by those that are answered.
    onLostRelease: () => undefined,
  });
  const duties = await startDuties({
    ledger,
    housekeeping: createHousekeepingStore(database),
    failureOf,
    processId,
    clock,
    batchItems: settings.batchItems,
    events,
    running: () => [...running.open()].filter(({ bucket }) => isOurs(bucket)),
    onLeaseLost: () => running.cutLost(isOurs),
    onHoldClosed: running.cutClosed,
  });
  // Only the first requests would be slower without it.
  await warmUp(ledger, processId, clock).catch(() => undefined);
  return { first, last, ledger, batcher, duties, watch };
}
