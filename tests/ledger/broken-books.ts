import { type Command, TOKEN_KEY } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";
import type { RollupStep } from "./rollup-story.ts";

const settle = (request: number, open = false): RollupStep => ({ type: "settle", request, open });
const undo = (request: number, open = false) => ({ type: "void", request, open }) as const;
const rollup = (...meanwhile: ReturnType<typeof undo>[]): RollupStep => ({ type: "rollup", meanwhile });
const turn: RollupStep = { type: "turn", meanwhile: [] };

const OWED = `insert into rollup_owed (hour, why) values (date_trunc('hour', u.at, 'UTC'), 'void');`;

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
    from: "where r.hour = v_hour\n       and not exists",
    to: "where false\n       and not exists",
    rollups: [settle(0), rollup(), undo(0), rollup()],
  },
  {
    name: "a budget reckoned from a clock that was set back",
    caughtBy: "model",
    fn: "budget_from",
    from: "greatest(p_now, max(at))",
    to: "coalesce(p_now, max(at))",
    scene: [
      { type: "advance", ms: 43_201_000 },
      budget(1, 300n, "day"),
      { type: "advance", ms: -5_000 },
      budget(2, 300n, "day"),
    ],
  },
  {
    name: "a budget by a reference that stood for another period",
    caughtBy: "model",
    fn: "funding_met",
    from: "and coalesce(period, p_period) is not distinct from p_period",
    to: "",
    scene: [budget(1, 300n, "day"), budget(1, 300n, "week")],
  },
  {
    name: "a payment looked for among those of its own key",
    caughtBy: "I7",
    fn: "funding_met",
    from: "where p_kind = 'purchase'",
    to: "where false",
    also: "drop index funding_payment",
    scene: [0, 1].map((key) => ({ type: "fund", key, reference: 1, kind: "purchase", amount: 9n, about: 0 })),
  },
  {
    name: "a void that nobody bears",
    caughtBy: "I7",
    fn: "house_bears_void",
    from: "begin",
    to: "begin return null;",
  },
  {
    name: "what tokens cost booked as credit",
    caughtBy: "model",
    fn: "house_has_unit",
    from: "new.unit := (select unit from balance where key_id = new.key_id)",
    to: "new.unit := 'credit'",
  },
  {
    name: "fundings that have no order",
    caughtBy: "model",
    fn: "funding_numbered",
    from: "fundings = fundings + 1",
    to: "fundings = fundings",
  },
];

function budget(reference: number, amount: bigint, period: "day" | "week"): Command {
  return { type: "budget", key: TOKEN_KEY, reference, budget: amount, period };
}
