import type { Clock } from "../core/clock.ts";
import type { PriceCheck, ProviderDifferences } from "../core/catalogue/price-check.ts";
import type { Duty } from "../core/duty.ts";
import { describeError } from "./log/describe-error.ts";
import { createLineAllowance } from "./log/line-allowance.ts";
import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";
import type { Metrics } from "./metrics/metrics.ts";

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
  /** A counter has passed a threshold. Told once for each notice; `text` is for people. */
  thresholdReached: (notice: ThresholdNote) => void;
  /** May be called for every attempt; a line is written for the first failure of a row, each that is given up, and the first success. */
  noticeSent: (attempt: NoticeAttempt) => void;
  noticesCounted: (counts: { waiting: number; dead: number }) => void;
  checkpointsWritten: (checkpoints: number) => void;
  /** A stream went on although its hold was gone. */
  holdFoundClosed: (hold: { holdId: string }) => void;
  /** May be called as often as some are; a line is written once a minute at most. */
  recordsDropped: (dropped: { records: number }) => void;
  recordsWritten: (written: { records: number }) => void;
  /** The ledger is verified up to then, null: not yet; and so many figures differ. May be called as often as it is read. */
  ledgerVerified: (round: { verifiedAtMs: number | null; mismatches: number }) => void;
  /** A figure differs, or a verified day was changed. Told once of each; `day` null: it is of the balances. */
  ledgerMismatch: (mismatch: LedgerMismatch) => void;
  /** A list of prices differs from those in force. Told once of each change. */
  priceListDiffers: (found: PriceListNote) => void;
  /** May be called for every check that failed; a line is written for the first of a row. */
  priceCheckFailed: (failed: { list: string; problem: string }) => void;
  /** What the last check found. May be called as often as it is read. */
  priceListChecked: (check: PriceCheck) => void;
  dayPartitioned: (day: { day: string; result: "made" | "present" | "occupied" | "busy" }) => void;
};

type PriceListNote = { list: string; models: number; differences: readonly ProviderDifferences[] };

type LedgerMismatch = {
  day: string | null;
  keyId: string | null;
  accountId: string | null;
  counter: number | null;
  column: string;
  expected: string;
  found: string;
};

type ThresholdNote = {
  notice: string;
  text: string;
  accountId: string | null;
  keyId: string | null;
  counter: number;
};

type NoticeAttempt = {
  endpoint: string;
  result: "delivered" | "failed" | "dead";
  status: number | null;
  /** A word of a fixed set, never what the receiver said. */
  problem: string | null;
  attempt: number;
};

type Parts = { logger: Logger; metrics: Metrics; clock: Clock };

export function createDutyEvents(parts: Parts): DutyEvents {
  const { logger, metrics, clock } = parts;
  const say = sayTo(logger);
  const failingSinceMs = new Map<Duty, number>();
  const drops = createLineAllowance({ most: 1, perMs: 60_000, clock });

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
    ...createNoticeEvents(parts),
    ...createVerificationEvents(parts),
    ...createPriceCheckEvents(parts),
    checkpointsWritten: (checkpoints) => metrics.checkpointsWritten(checkpoints),
    holdFoundClosed: ({ holdId }) => say("holdClosed", { hold_id: holdId }),
    recordsDropped: ({ records }) => {
      metrics.recordsEnded("dropped", records);
      const line = drops.take();
      if (line !== null) say("recordsDropped", { records, unwritten: line.unwritten });
    },
    recordsWritten: ({ records }) => metrics.recordsEnded("written", records),
    dayPartitioned: ({ day, result }) => {
      if (result === "made") say("dayPartitioned", { day });
      // Its records cannot be dropped by the day then. So it is on the day of the first start.
      if (result === "occupied") say("dayInDefault", { day, fix: `tollgate ledger partitions --repair ${day}` });
    },
  };
}

function createVerificationEvents({ logger, metrics }: Parts): Pick<DutyEvents, "ledgerVerified" | "ledgerMismatch"> {
  const say = sayTo(logger);
  return {
    ledgerVerified: ({ verifiedAtMs, mismatches }) => metrics.ledgerVerified((verifiedAtMs ?? 0) / 1_000, mismatches),
    ledgerMismatch: ({ day, keyId, accountId, counter, column, expected, found }) =>
      say("ledgerMismatch", {
        day,
        key_id: keyId,
        account_id: accountId,
        counter,
        figure: column,
        expected,
        found,
        show: showMore({ day, keyId, column }),
      }),
  };
}

const MOST_NAMED_MODELS = 20;

function createPriceCheckEvents({
  logger,
  metrics,
}: Parts): Pick<DutyEvents, "priceListDiffers" | "priceCheckFailed" | "priceListChecked"> {
  const say = sayTo(logger);
  let isFailing = false;
  return {
    priceListDiffers: ({ list, models, differences }) =>
      say("priceListDiffers", {
        list,
        models,
        named: differences.flatMap((one) => one.models.map(({ id }) => id)).slice(0, MOST_NAMED_MODELS),
        providers: differences.map(({ provider }) => provider),
      }),
    priceCheckFailed: ({ list, problem }) => {
      if (!isFailing) say("priceCheckFailed", { list, problem });
      isFailing = true;
    },
    priceListChecked: ({ problem, failingSinceMs, found }) => {
      if (problem === null) isFailing = false;
      metrics.priceListChecked({
        models: found?.models ?? 0,
        checkedAt: (found?.atMs ?? 0) / 1_000,
        failingSince: (failingSinceMs ?? 0) / 1_000,
      });
    },
  };
}

/** The command that shows more of it. */
function showMore({ day, keyId, column }: Pick<LedgerMismatch, "day" | "keyId" | "column">): string {
  if (column.startsWith("charges of ") || (day !== null && keyId === null))
    return "tollgate ledger verifications --days";
  return `tollgate ledger verify --recompute${keyId === null ? "" : ` --key ${keyId}`}`;
}

type NoticeEvents = Pick<DutyEvents, "thresholdReached" | "noticeSent" | "noticesCounted">;

function createNoticeEvents({ logger, metrics }: Parts): NoticeEvents {
  const say = sayTo(logger);
  const failingEndpoints = new Set<string>();

  return {
    thresholdReached: ({ notice, text, accountId, keyId, counter }) => {
      metrics.noticeSent("log", "delivered");
      say("thresholdReached", { notice, text, account_id: accountId, key_id: keyId, counter });
    },
    noticeSent: ({ endpoint, result, status, problem, attempt }) => {
      metrics.noticeSent(endpoint, result);
      if (result === "delivered") {
        if (failingEndpoints.delete(endpoint)) say("noticeDelivered", { endpoint });
        return;
      }
      const isFirst = !failingEndpoints.has(endpoint);
      failingEndpoints.add(endpoint);
      if (isFirst || result === "dead")
        say("noticeFailed", { endpoint, status, reason: problem, attempt }, result === "dead" ? "error" : "warn");
    },
    noticesCounted: (counts) => metrics.noticesLeft(counts),
  };
}
