import type { AskPlan, Command } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";

/** Two keys with holds of a process that died, and the oldest cannot be ended. */
const LOST_BEHIND_POISON: readonly Command[] = [
  admit(ask(0, 50n), ask(3, 50n), ask(1, 50n), ask(4, 50n)),
  { type: "poison", request: 0 },
  { type: "crash", process: 0 },
  { type: "sweep", process: 1, limit: 9 },
  { type: "sweep", process: 1, limit: 1 },
  { type: "sweep", process: 1, limit: 1 },
  { type: "sweep", process: 1, limit: 9 },
];

/** What is wrong with leases, the sweep and its quarantine. */
export const BROKEN_SWEEPS: readonly BrokenSql[] = [
  {
    name: "a sweep without grace for processes that could not renew",
    caughtBy: "model",
    fn: "may_sweep",
    from: "p_now >= renewing_since + interval '15 seconds'",
    to: "true",
    scene: [
      admit(ask(0, 50n)),
      { type: "advance", ms: 16_000 },
      { type: "heartbeat", process: 1 },
      { type: "sweep", process: 1, limit: 9 },
    ],
  },
  {
    name: "a sweep without grace after a restart of the server",
    caughtBy: "model",
    fn: "may_sweep",
    from: "p_now >= ledger_server_start() + interval '15 seconds'",
    to: "true",
    scene: [
      admit(ask(0, 50n)),
      { type: "crash", process: 0 },
      { type: "restart" },
      { type: "sweep", process: 1, limit: 9 },
    ],
  },
  {
    name: "a sweep without grace after a promotion",
    caughtBy: "model",
    fn: "may_sweep",
    from: "and timeline = server_timeline()",
    to: "",
    scene: [
      admit(ask(0, 50n)),
      { type: "crash", process: 0 },
      { type: "promote" },
      { type: "sweep", process: 1, limit: 9 },
    ],
  },
  {
    name: "a lease that goes on where another timeline left it",
    caughtBy: "model",
    fn: "heartbeat_v1",
    from: "and process.timeline = excluded.timeline",
    to: "",
    scene: [
      admit(ask(0, 50n)),
      { type: "crash", process: 0 },
      { type: "promote" },
      { type: "heartbeat", process: 1 },
      { type: "sweep", process: 1, limit: 9 },
    ],
  },
  {
    name: "a sweep by one that missed renewals itself",
    caughtBy: "model",
    fn: "heartbeat_v1",
    from: "v_now + interval '7.5 seconds'",
    to: "v_now",
    scene: [
      admit(ask(0, 50n)),
      { type: "crash", process: 2 },
      { type: "heartbeat", process: 1 },
      { type: "advance", ms: 12_000 },
      { type: "heartbeat", process: 1 },
      { type: "sweep", process: 1, limit: 9 },
    ],
  },
  {
    name: "a sweep of what was admitted a moment ago",
    caughtBy: "model",
    fn: "lost_holds",
    from: "h.admitted_at < p_now - interval '15 seconds' and",
    to: "",
    scene: [{ type: "crash", process: 0 }, admit(ask(0, 50n)), { type: "sweep", process: 1, limit: 9 }],
  },
  {
    name: "a quarantine that takes holds which can be ended",
    caughtBy: "model",
    fn: "sweep_v1",
    from: "from holds_ended(v_at, v_id) e;\n  exception",
    to: "from holds_ended(v_at, v_id) e; raise exception 'no' using errcode = '23514';\n  exception",
    scene: LOST_BEHIND_POISON,
  },
  {
    name: "a quarantined hold that nobody holds any more",
    caughtBy: "I2",
    fn: "sweep_v1",
    from: "insert into quarantine as q",
    to: "with gone as (delete from hold h where h.id = any (v_id)) insert into quarantine as q",
    scene: LOST_BEHIND_POISON,
  },
  {
    name: "a quarantined hold given back without a charge",
    caughtBy: "I6",
    fn: "sweep_v1",
    from: "    return query\n      insert into quarantine as q",
    to: `    update balance b set held = b.held - h.credits from hold h where h.id = any (v_id) and b.key_id = h.key_id;
    return query\n      insert into quarantine as q`,
    scene: LOST_BEHIND_POISON,
  },
  {
    name: "a quarantine that ends nobody behind it",
    caughtBy: "I6",
    fn: "sweep_v1",
    from: "where not exists (select from quarantine q where q.hold_id = h.id) order by h.id limit p_limit",
    to: "where false order by h.id limit p_limit",
    scene: LOST_BEHIND_POISON,
  },
  {
    name: "a damaged key swept before the others",
    caughtBy: "model",
    fn: "sweep_v1",
    from: "where q.key_id = h.key_id",
    to: "where q.hold_id = h.id",
    scene: LOST_BEHIND_POISON,
  },
  {
    name: "a batch of which the rest is lost",
    caughtBy: "model",
    fn: "holds_ended",
    from: "into q from hold h where h.id = any (p_id);",
    to: "into q from hold h where h.id = p_id[1];",
    scene: [admit(ask(0, 50n), ask(3, 50n)), { type: "crash", process: 0 }, { type: "sweep", process: 1, limit: 9 }],
  },
];

function ask(request: number, amount: bigint): AskPlan {
  const rest = { unlimited: false, lifetimeMs: 300_000, stale: false, claim: null };
  return { request, least: amount, most: amount, ...rest };
}

function admit(...asks: AskPlan[]): Command {
  return { type: "admit", process: 0, asks };
}
