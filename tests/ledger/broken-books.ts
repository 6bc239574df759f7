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
];
