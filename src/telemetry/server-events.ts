import type { Clock } from "../core/clock.ts";
import type { ServerFacts, StandbyLack } from "../core/server-facts.ts";
import { createLineAllowance } from "./log/line-allowance.ts";
import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { type Advice, adviceOn, STANDBY_FIXES } from "./log/server-advice.ts";

/** What is found out about the database server, beside whether it answers. */
export type ServerEvents = {
  /** What a database server says of itself: one line for each thing that its operator should know. */
  serverInspected: (facts: ServerFacts) => void;
  /** What it says of itself while we run; null: nothing lately. A line for each thing that was not so before. */
  serverWatched: (facts: ServerFacts | null) => void;
  /** Requests are refused since the database has no synchronous standby, and one is required; or, with null, no longer. */
  standbyRequired: (lack: StandbyLack | "unread" | null) => void;
  /** Whether changes are heard as they are made; while not, what is known of keys and models may be so old. */
  changesHeard: (state: { hears: boolean; staleMs: number }) => void;
  /** A server that takes writes is not used, since it does not have the books. May be called for every try; few lines are written. */
  serverRefused: (error: Error) => void;
  /** The books are on a higher timeline than before, as after a promotion or a restore to a point in time. */
  booksMoved: (move: { from: number; to: number }) => void;
  /** Something between us and the server does not carry prepared statements, so none are used from now on. */
  statementsUnprepared: (error: Error) => void;
};

/** So that it is seen while it lasts and fills no disk. */
const REFUSED_LINES = 3;
const REFUSED_LINES_MS = 60_000;

type Parts = { logger: Logger; metrics: Metrics; clock: Clock };

export function createServerEvents({ logger, metrics, clock }: Parts): ServerEvents {
  const refusals = createLineAllowance({ most: REFUSED_LINES, perMs: REFUSED_LINES_MS, clock });
  const say = sayTo(logger);
  const advise = ({ level, finding, message, fix }: Advice): void => logger[level]({ finding, fix }, message);
  /** Null before the first look: what is so from the start was said at the start. */
  let known: ReadonlySet<string> | null = null;
  metrics.changesHeard(1);
  return {
    serverInspected: (facts) => adviceOn(facts).forEach(advise),
    serverWatched: (facts) => {
      metrics.databaseFacts(facts);
      if (facts === null) return;
      const advice = adviceOn(facts);
      for (const one of advice) if (known !== null && !known.has(one.finding)) advise(one);
      known = new Set(advice.map(({ finding }) => finding));
    },
    standbyRequired: (lack) => {
      if (lack === null) return say("standbyPresent");
      const fix = `${STANDBY_FIXES[lack]} Or set ledger.require_synchronous_standby to off.`;
      say(lack === "unread" ? "standbyUnknown" : "standbyAbsent", { reason: lack, fix });
    },
    changesHeard: ({ hears, staleMs }) => {
      metrics.changesHeard(hears ? 1 : 0);
      if (hears) say("changesHeard");
      else say("changesUnheard", { stale_ms: staleMs });
    },
    serverRefused: ({ message }) => {
      metrics.serverRefused();
      const line = refusals.take();
      if (line !== null) say("serverRefused", { reason: message, unwritten: line.unwritten });
    },
    booksMoved: ({ from, to }) => say("ledgerMoved", { from, to }),
    statementsUnprepared: ({ message }) => say("statementsUnprepared", { reason: message }),
  };
}
