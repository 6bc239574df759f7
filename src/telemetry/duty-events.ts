import type { Clock } from "../core/clock.ts";
import type { Duty } from "../core/duty.ts";
import { describeError } from "./describe-error.ts";
import { sayTo } from "./log-table.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** What happens in the background, for the ledger. */
export type DutyEvents = {
  /** May be called for every success; a line is written only for the first after a failure. */
  dutyDone: (duty: Duty) => void;
  /** May be called for every failure; a line is written for the first of a row. */
  dutyFailed: (duty: Duty, error: unknown) => void;
  /** Others have settled what this process still streams. */
  leaseLost: () => void;
  holdsSwept: (sweep: { holds: number }) => void;
  /** A hold of a dead process cannot be ended: its money stays reserved until an operator releases it. */
  holdQuarantined: (hold: { requestId: string; keyId: string; code: string; reason: string }) => void;
  /** May be called after every sweep. */
  lostHoldsCounted: (lost: { quarantined: number; lagSeconds: number }) => void;
  checkpointsWritten: (checkpoints: number) => void;
  /** A stream went on although its hold was gone. */
  holdFoundClosed: (hold: { holdId: string }) => void;
  dayPartitioned: (day: { day: string; result: "made" | "present" | "occupied" | "busy" }) => void;
};

export function createDutyEvents(parts: { logger: Logger; metrics: Metrics; clock: Clock }): DutyEvents {
  const { logger, metrics, clock } = parts;
  const say = sayTo(logger);
  const failingSinceMs = new Map<Duty, number>();

  return {
    dutyDone: (duty) => {
      metrics.dutyEnded(duty, "done");
      if (duty === "lease") metrics.leaseHeld(1);
      const sinceMs = failingSinceMs.get(duty);
      if (sinceMs === undefined) return;
      failingSinceMs.delete(duty);
      say("taskWorks", { duty, failing_ms: Math.round(clock.elapsedMs() - sinceMs) });
    },
    dutyFailed: (duty, error) => {
      metrics.dutyEnded(duty, "failed");
      if (failingSinceMs.has(duty)) return;
      failingSinceMs.set(duty, clock.elapsedMs());
      say("taskFailed", { duty, error: describeError(error) });
    },
    leaseLost: () => {
      metrics.leaseHeld(0);
      say("leaseLost");
    },
    holdsSwept: ({ holds }) => {
      metrics.holdsSwept(holds);
      if (holds > 0) say("holdsSwept", { holds });
    },
    holdQuarantined: ({ requestId, keyId, code, reason }) => {
      metrics.moneyAlarmed("hold_quarantined");
      say("holdQuarantined", { request_id: requestId, key_id: keyId, sqlstate: code, reason });
    },
    lostHoldsCounted: ({ quarantined, lagSeconds }) => {
      metrics.holdsQuarantined(quarantined);
      metrics.sweepLag(lagSeconds);
    },
    checkpointsWritten: (checkpoints) => metrics.checkpointsWritten(checkpoints),
    holdFoundClosed: ({ holdId }) => say("holdClosed", { hold_id: holdId }),
    dayPartitioned: ({ day, result }) => {
      if (result === "made") say("dayPartitioned", { day });
      // Its records cannot be dropped by the day then. So it is on the day of the first start.
      if (result === "occupied") say("dayInDefault", { day, fix: `tollgate ledger partitions --repair ${day}` });
    },
  };
}
