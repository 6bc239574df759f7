import { type Command, ownCounter, TOKEN_KEY } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";
import type { RollupStep } from "./rollup-story.ts";

const settle = (request: number, open = false): RollupStep => ({ type: "settle", request, open });
const undo = (request: number, open = false) => ({ type: "void", request, open }) as const;
const rollup = (...meanwhile: ReturnType<typeof undo>[]): RollupStep => ({ type: "rollup", meanwhile });
const turn: RollupStep = { type: "turn", meanwhile: [] };

const OWED = `insert into rollup_owed (hour, why) values (date_trunc('hour', c.at, 'UTC'), 'void');`;

/** A request of a token key that is charged and undone. */
const UNDONE: readonly Command[] = [
  {
    type: "admit",
    process: 0,
    asks: [{ request: 2, least: 50n, most: 50n, unlimited: false, lifetimeMs: 300_000, stale: false, claim: null }],
  },
  {
    type: "settle",
    ends: [{ request: 2, outcome: "completed", charge: 40n, tokens: 1, delivered: true, recorded: true, answer: null }],
  },
  { type: "void", requests: [2] },
];

/** What is wrong around the journal: sums of hours, funding, the clock. */
export const BROKEN_BOOKS: readonly BrokenSql[] = [
  {
    name: "a void that leaves the sums of its hour",
    caughtBy: "rollup",
    fn: "void_charged",
    from: OWED,
    to: "null;",
    rollups: [settle(0), rollup(), undo(0)],
  },
  {
    name: "a rollup that takes off voids it has not seen",
    caughtBy: "rollup",
    fn: "rollup_v1",
    from: "delete from rollup_owed where id = any (v_seen);",
    to: "delete from rollup_owed where hour = v_hour and why = 'void' or id = any (v_seen);",
    rollups: [settle(0), rollup(), rollup(undo(0))],
  },
  {
    name: "an hour closed while somebody is still writing in it",
    caughtBy: "rollup",
    fn: "rollup_v1",
    from: "ended < pg_snapshot_xmin(pg_current_snapshot())",
    to: "ended is not null",
    rollups: [settle(0, true), { type: "advance", ms: 1_700_000 }, turn, turn, { type: "commit" }],
  },
  {
    name: "a rollup that keeps the sums of what is gone",
    caughtBy: "rollup",
    fn: "rollup_v1",
    from: "where r.hour = v_hour and not exists",
    to: "where false and not exists",
    rollups: [settle(0), rollup(), undo(0), rollup()],
  },
  {
    name: "a limit reckoned from a clock that was set back",
    caughtBy: "model",
    fn: "counter_locked",
    from: "greatest(v_at.clock, v_at.begun)",
    to: "v_at.clock",
    scene: [
      limit(1, 300n, "day"),
      { type: "advance", ms: 43_201_000 },
      { type: "watch", counter: ownCounter(TOKEN_KEY), marks: [50n] },
      { type: "advance", ms: -5_000 },
      limit(2, 200n, "day"),
    ],
  },
  {
    name: "a limit by a reference that stood for another period",
    caughtBy: "model",
    fn: "funding_met",
    from: "and period is not distinct from p_period",
    to: "",
    scene: [limit(1, 300n, "day"), limit(1, 300n, "week")],
  },
  {
    name: "a payment looked for among those of its own purse",
    caughtBy: "I7",
    fn: "funding_met",
    from: "where p_kind = 'purchase'",
    to: "where false",
    also: "drop index funding_payment",
    scene: [0, 1].map((key) => ({
      type: "fund",
      counter: ownCounter(key),
      reference: 1,
      kind: "purchase",
      amount: 9n,
    })),
  },
  {
    name: "a void that nobody bears",
    caughtBy: "I7",
    fn: "void_charged",
    from: "where q.amount > 0;",
    to: "where false;",
    scene: UNDONE,
  },
  {
    name: "what tokens cost booked as credit",
    caughtBy: "model",
    fn: "void_charged",
    from: "(values ('credit', credits), ('tokens', tokens))",
    to: "(values ('credit', coalesce(credits, tokens)))",
    scene: UNDONE,
  },
  {
    name: "fundings that have no order",
    caughtBy: "model",
    fn: "fund_v1",
    from: "fundings = fundings + 1",
    to: "fundings = fundings + 2",
    scene: [{ type: "fund", counter: ownCounter(0), reference: 1, kind: "grant", amount: 9n }],
  },
];

function limit(reference: number, amount: bigint, period: "day" | "week"): Command {
  return { type: "limit", counter: ownCounter(TOKEN_KEY), reference, amount, period };
}
