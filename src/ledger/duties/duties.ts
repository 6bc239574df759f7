import type { Clock } from "../../core/clock.ts";
import type { Duty } from "../../core/duty.ts";
import { requestIdOf } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { type HousekeepingStore, type Partitioned, startHousekeeping } from "./housekeeping.ts";
import type { Failure } from "../turn/lane.ts";
import { startLease } from "./lease.ts";
import type { Checkpoint, Ledger, LostHolds } from "../ledger.ts";
import { startSweeper } from "./sweeper.ts";

type DutyEvents = {
  dutyDone: (duty: Duty) => void;
  dutyFailed: (duty: Duty, error: unknown) => void;
  leaseLost: () => void;
  holdsSwept: (sweep: { holds: number }) => void;
  holdQuarantined: (hold: { requestId: string; keyId: string; code: string; reason: string }) => void;
  lostHoldsCounted: (lost: LostHolds) => void;
  checkpointsWritten: (checkpoints: number) => void;
  holdFoundClosed: (hold: { holdId: string }) => void;
  dayPartitioned: (day: { day: string; result: Partitioned }) => void;
};

type DutiesOptions = {
  ledger: Pick<Ledger, "heartbeat" | "sweep" | "countLost" | "forgetClaims" | "checkpoint">;
  housekeeping: HousekeepingStore;
  failureOf: (error: unknown) => Failure;
  /** As it is given to `admit`: the lease of this process is what keeps its holds from being swept. */
  processId: string;
  clock: Clock;
  /** Checkpoints written together at most. */
  batchItems: number;
  events: DutyEvents;
  /** The requests under way in this process. */
  running: () => Iterable<Pick<Checkpoint, "id" | "keyId" | "bucket">>;
  /** Every stream of this process must be cut. */
  onLeaseLost: () => void;
  /** The stream of this request must be cut: it was swept or voided. */
  onHoldClosed: (holdId: string) => void;
};

export type Duties = {
  checkpoints: Pick<Checkpoints, "add" | "forget">;
  /** To be called when no request is open any more, and before the database is closed. */
  stop: () => Promise<void>;
};

/** Changes no checkpoint; what the ledger answers to it is whether the request is still open. */
const NOTHING_NEW = { seq: 0, credits: 0n, usage: NO_USAGE, contentDelivered: false };
const CHECKPOINT_EVERY_MS = 200;
const CHECKPOINT_RETRY_MS = 1_000;

/**
 * What a process owes the ledger beside its requests. Resolves once the lease is renewed and the partitions are seen to; from
 * then on requests may be admitted.
 */
export async function startDuties(options: DutiesOptions): Promise<Duties> {
  const { ledger, housekeeping: store, failureOf, processId, clock, events } = options;
  const failed = (duty: Duty) => (error: unknown) => events.dutyFailed(duty, error);

  const checkpoints = createWriter(options);
  const lease = startLease({
    heartbeat: ledger.heartbeat,
    processId,
    clock,
    onRenewed: () => events.dutyDone("lease"),
    onLapsed: () => {
      for (const request of options.running()) checkpoints.add({ ...request, ...NOTHING_NEW });
    },
    onFailed: failed("lease"),
    onLost: () => {
      events.leaseLost();
      options.onLeaseLost();
    },
  });
  await lease.renewed;

  const sweeper = startSweeper({
    ledger,
    failureOf,
    processId,
    clock,
    onSwept: (holds) => {
      events.holdsSwept({ holds });
      events.dutyDone("sweep");
    },
    onQuarantined: ({ id, keyId, code, reason }) =>
      events.holdQuarantined({ requestId: requestIdOf(id), keyId, code, reason }),
    onCounted: events.lostHoldsCounted,
    onFailed: failed("sweep"),
  });
  const housekeeping = startHousekeeping({
    store,
    processId,
    clock,
    onPartitioned: (day, result) => {
      events.dayPartitioned({ day, result });
      events.dutyDone("partition");
    },
    onRolledUp: () => events.dutyDone("rollup"),
    onRechained: () => events.dutyDone("rechain"),
    onFailed: (duty, error) => events.dutyFailed(duty, error),
  });
  await housekeeping.prepared;

  return {
    checkpoints,
    stop: async () => {
      await Promise.all([sweeper.stop(), housekeeping.stop(), checkpoints.stop()]);
      // Last, so that nobody takes the holds of a process that is still writing about them.
      await lease.stop();
    },
  };
}

function createWriter({ ledger, failureOf, clock, batchItems, events, onHoldClosed }: DutiesOptions): Checkpoints {
  return createCheckpoints({
    checkpoint: ledger.checkpoint,
    failureOf,
    clock,
    limits: { items: batchItems, everyMs: CHECKPOINT_EVERY_MS, retryMs: CHECKPOINT_RETRY_MS },
    onClosed: (holdId) => {
      events.holdFoundClosed({ holdId });
      onHoldClosed(holdId);
    },
    onWritten: (count) => {
      events.checkpointsWritten(count);
      events.dutyDone("checkpoint");
    },
    onFailed: (error) => events.dutyFailed("checkpoint", error),
  });
}
