import { BROKEN_ALONE } from "./broken-alone.ts";
import { BROKEN_BOOKS } from "./broken-books.ts";
import { BROKEN_LINE } from "./broken-line.ts";
import { BROKEN_PERIODS } from "./broken-periods.ts";
import { BROKEN_SWEEPS } from "./broken-sweeps.ts";
import { BROKEN_CHAINS } from "./broken-chains.ts";
import { type AskPlan, type Command, ownCounter } from "./commands.ts";
import { tryBalanceOrder, tryLockOrder, tryTwoPayments } from "./lock-order-trial.ts";
import type { BrokenSql } from "./notice-sql.ts";

const LOCK = "order by key_id for no key update";
const BEGIN_FIRST = `if s_id is not null and a_id is not null then
    return query
      select * from admitted(v_at.clock, p_process, p_counters <> '{}', a_id, a_key, a_version, a_rpm, a_chain, a_least_credits, a_most_credits,
                             a_least_tokens, a_most_tokens, a_unlimited, a_model, a_price, a_lifetime_ms, a_sha, a_print);
    a_id := null;
  end if;
  if s_id is not null then`;

const KILL = "delete from hold h\n     using (";
const SPARE = "update hold h set claimed = h.claimed\n      from (";

/** One wrong word in one function. A suite that lets any of these pass is blind. */
export const BROKEN_SQL: readonly BrokenSql[] = [
  ...BROKEN_ALONE,
  ...BROKEN_BOOKS,
  ...BROKEN_CHAINS,
  ...BROKEN_LINE,
  ...BROKEN_PERIODS,
  ...BROKEN_SWEEPS,
  {
    name: "check-then-act: no lock between the look and the change",
    caughtBy: "funding_counter_seq_key",
    fn: "rows_locked",
    from: LOCK,
    to: "order by key_id",
    trial: tryTwoPayments,
  },
  {
    name: "lock order swapped: a turn takes the holds before the balances",
    caughtBy: "40P01",
    fn: "turn_v2",
    from: "v_at := rows_locked(",
    to: "perform from hold where id = any (s_id) order by id for update; v_at := rows_locked(",
    trial: tryLockOrder,
  },
  {
    name: "balances locked in another order",
    caughtBy: "40P01",
    fn: "rows_locked",
    from: LOCK,
    to: "order by key_id desc for no key update",
    trial: tryBalanceOrder,
  },
  {
    name: "a turn that begins requests before it ends others",
    caughtBy: "model",
    fn: "turn_v2",
    from: "if s_id is not null then",
    to: BEGIN_FIRST,
    scene: [admit(ask(0, 250n)), { ...settle(0), type: "turn", process: 0, asks: [ask(3, 200n)] }],
  },
  {
    name: "a check that forgets what is held",
    caughtBy: "posted_covers_held",
    fn: "admitted",
    from: "d.taken <= b.posted - b.held",
    to: "d.taken <= b.posted",
    scene: [admit(ask(0, 200n)), admit(ask(3, 90n), ask(6, 90n))],
  },
  {
    name: "a prefix-sum refusal: what was refused counts against the next",
    caughtBy: "model",
    fn: "admit_exact",
    from: "a.verdict := f.verdict;",
    to: "a.verdict := f.verdict; update balance set held = least(posted, held + r.least_credits) where key_id = r.key_id;",
    scene: [admit(ask(1, 150n)), admit(ask(4, 150n), { ...ask(7, 50n), claim: { name: 0, fingerprint: 0 } })],
  },
  {
    name: "an id that may be admitted twice",
    caughtBy: "model",
    fn: "admitted",
    from: "|| charged_among(v_ids, v_ids[1], v_ids[cardinality(v_ids)])",
    to: "",
    scene: [admit(ask(0, 50n)), settle(0), admit(ask(0, 50n))],
  },
  {
    name: "a rate that is not looked at when all fits",
    caughtBy: "I10",
    fn: "admitted",
    from: "d.cap is null",
    to: "true",
    scene: [0, 3, 6, 9].map((request) => admit(ask(request, 1n))),
  },
  {
    name: "a stale key let in when all fits",
    caughtBy: "model",
    fn: "admitted",
    from: "p_version[i] = b.version and",
    to: "",
    scene: [admit({ ...ask(0, 1n), stale: true })],
  },
  {
    name: "a period that does not turn",
    caughtBy: "model",
    fn: "turn_v2",
    from: "v_at.ends <= v_at.clock",
    to: "false",
    scene: [admit(ask(2, 200n)), { type: "advance", ms: 86_400_000 }, admit(ask(5, 200n))],
  },
  {
    name: "claims passed over when all fits",
    caughtBy: "model",
    fn: "admitted",
    from: "p_sha[i] is null and",
    to: "",
    scene: [admit({ ...ask(0, 50n), claim: { name: 0, fingerprint: 0 } })],
  },
  {
    name: "a running claim that does not age",
    caughtBy: "model",
    fn: "admit_exact",
    from: "p_now - h.admitted_at",
    to: "p_now - p_now",
    scene: [
      admit({ ...ask(0, 50n), claim: { name: 0, fingerprint: 0 } }),
      { type: "advance", ms: 5_000 },
      admit({ ...ask(0, 50n), claim: { name: 0, fingerprint: 0 } }),
    ],
  },
  {
    name: "half of too much",
    caughtBy: "invariant",
    fn: "granted",
    from: "greatest(p_least, p_free / 2)",
    to: "p_free / 2",
    scene: [admit({ ...ask(0, 200n), most: 400n, unlimited: true })],
  },
  {
    name: "refusals that use up the rate",
    caughtBy: "model",
    fn: "admit_exact",
    from: "'rate_limited', 'reserved',",
    to: "'rate_limited',",
    scene: [admit(ask(0, 250n)), admit({ ...ask(3, 200n), claim: { name: 0, fingerprint: 0 } })],
  },
  {
    name: "a wait that is a second too long",
    caughtBy: "model",
    fn: "rate_wait_ms",
    from: "+ 60000000 - p_us",
    to: "+ 61000000 - p_us",
    scene: [admit(ask(0, 1n), ask(3, 1n), ask(6, 1n)), { type: "advance", ms: 12_000 }, admit(ask(9, 1n))],
  },
  {
    name: "a wait that is too short",
    caughtBy: "I10",
    fn: "rate_wait_ms",
    from: "+ 60000000 - p_us",
    to: "+ 50000000 - p_us",
    scene: [
      admit(ask(0, 1n), ask(3, 1n), ask(6, 1n)),
      { type: "advance", ms: 12_000 },
      admit(ask(9, 1n)),
      { type: "advance", ms: 40_000 },
      admit(ask(12, 1n)),
    ],
  },
  {
    name: "a second that leaves with its first request",
    caughtBy: "I10",
    fn: "rate_added",
    from: "v_us := greatest(p_rate[v_to] >> 10, p_us);",
    to: "v_us := p_rate[v_to] >> 10;",
    scene: [
      admit(ask(0, 1n)),
      { type: "advance", ms: 700 },
      admit(ask(3, 1n), ask(6, 1n)),
      { type: "advance", ms: 59_500 },
      admit(ask(9, 1n), ask(12, 1n)),
    ],
  },
  {
    name: "older holds given to the new period",
    caughtBy: "I2",
    fn: "periods_turned",
    from: "older_held = held",
    to: "older_held = 0",
    scene: [admit(ask(2, 200n)), { type: "advance", ms: 86_400_000 }, admit(ask(5, 20n))],
  },
  {
    name: "a missing state guard: the hold outlives its end",
    caughtBy: "charge_other_pkey",
    fn: "settled",
    from: KILL,
    to: SPARE,
    scene: [admit(ask(0, 50n)), settle(0), settle(0)],
  },
  {
    name: "a charge keyed by kind: one hold, two ends",
    caughtBy: "I4",
    fn: "settled",
    from: KILL,
    to: SPARE,
    // Two at a time: a lone end is written by another function.
    scene: [
      admit(...[0, 3, 1, 4].map((request) => ask(request, 50n))),
      ended(completed(0), completed(1)),
      ended(failed(0, 0n), failed(1, 0n)),
    ],
    also: "alter table charge drop constraint charge_pkey; alter table charge add primary key (hold_id, kind)",
  },
  {
    name: "a refund on abort only",
    caughtBy: "I2",
    fn: "settled",
    from: "held = b.held - o.released,",
    to: "held = b.held - case when o.paid = 0 then o.released else o.paid end,",
    scene: [admit(ask(0, 50n)), settle(0)],
  },
  {
    name: "a failure that is charged",
    caughtBy: "I5",
    fn: "settled",
    from: "case when free and credits is not null then 0 else least(cost_credits, credits) end",
    to: "least(cost_credits, credits)",
    scene: [admit(ask(0, 50n)), ended({ ...failed(0, 0n), charge: 40n })],
  },
  {
    name: "failures that are free without end",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "v_borne[own] + r.waived > cap",
    to: "false",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ...[1, 4].map((request) => ended(failed(request, 60n)))],
  },
  {
    name: "failures that forget what the house already bears",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "borne_within_hour(p_now, r.whose[n], r.account[n], r.unit[n], true)",
    to: "0",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ...[1, 4].map((request) => ended(failed(request, 60n)))],
  },
  {
    name: "failures of one batch that do not count one another",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "+ r.waived + r.absorbed;",
    to: "+ r.absorbed;",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ended(failed(1, 60n), failed(4, 60n))],
  },
  {
    name: "a failure charged although the house bore nothing",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "v_borne[own] + r.waived > cap",
    to: "true",
    scene: [admit(ask(1, 20n)), ended(failed(1, 60n))],
  },
  {
    name: "clients that leave early and are free without end",
    caughtBy: "I5",
    fn: "settled",
    from: "case when p_kind[i] in (2, 3) then case mode_unit",
    to: "case when p_kind[i] = 3 then case mode_unit",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ended(left(1, 60n), left(4, 60n))],
  },
  {
    name: "clients that leave early and are waived nothing",
    caughtBy: "I3",
    fn: "settled",
    from: "p_kind[q.i] in (3, 6) or p_kind[q.i] = 2 and",
    to: "p_kind[q.i] in (3, 6) or p_kind[q.i] = 0 and",
    scene: [admit(ask(1, 20n)), ended(left(1, 60n))],
  },
  {
    name: "a provider's usage trusted, however huge",
    caughtBy: "posted_covers_held",
    fn: "settled",
    from: "least(v_cost_credits[v_short[v_at]], v_granted_credits[v_short[v_at]] + v_rest.credits)",
    to: "v_cost_credits[v_short[v_at]]",
    scene: [admit(ask(0, 50n), ask(3, 240n)), ended({ ...failed(0, 0n), outcome: "completed", charge: 160n })],
  },
  {
    name: "a settle without fence: a sweep taken for the client's own end",
    caughtBy: "I3",
    fn: "settled",
    from: "c.kind not in (5, 6)",
    to: "c.kind not in (6)",
    scene: [admit(ask(0, 50n)), { type: "crash", process: 0 }, { type: "sweep", process: 1, limit: 9 }, settle(0)],
  },
  {
    name: "an overrun nobody books",
    caughtBy: "I3",
    fn: "settled",
    from: "case when not v_free[e] then v_cost_credits[e] - v_paid_credits[e] end",
    to: "0",
    scene: [admit(ask(0, 50n), ask(3, 240n)), ended({ ...failed(0, 0n), outcome: "completed", charge: 160n })],
  },
  {
    name: "a charge that takes from others' holds",
    caughtBy: "posted_covers_held",
    fn: "free_of",
    from: "posted - held",
    to: "posted",
    scene: [admit(ask(0, 50n), ask(3, 240n)), ended({ ...failed(0, 0n), outcome: "completed", charge: 160n })],
  },
  {
    name: "a claim freed although content was delivered",
    caughtBy: "model",
    fn: "close_claims",
    from: "and not coalesce(p_delivered[i], false)",
    to: "",
    scene: [admit({ ...ask(0, 50n), claim: { name: 0, fingerprint: 0 } }), ended(failed(0, 0n))],
  },
  {
    name: "a void that refunds again",
    caughtBy: "refund_pkey",
    fn: "void_v1",
    from: "      if found then\n        result := 'already';",
    to: "      if false then\n        result := 'already';",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }, { type: "void", requests: [0] }],
  },
  {
    name: "a limit cut below its holds that promises what is held",
    caughtBy: "model",
    fn: "posted_of",
    from: "greatest(p_amount + p_refunded - p_used, 0)",
    to: "p_posted",
    scene: [
      admit(ask(2, 200n)),
      { type: "limit", counter: ownCounter(2), reference: 1, amount: 50n, period: "day" },
      admit(ask(5, 60n)),
    ],
  },
  {
    name: "a void that leaves what it undid among what was used",
    caughtBy: "I1",
    fn: "given_back",
    from: "used = b.used - g.uncharged",
    to: "used = b.used",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }],
  },
  {
    name: "a void that counts as money paid in",
    caughtBy: "I7",
    fn: "given_back",
    from: "b.used - g.uncharged, refunded = b.refunded + g.back - g.uncharged",
    to: "b.used, refunded = b.refunded + g.back",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }],
  },
  {
    name: "a void of yesterday taken off today",
    caughtBy: "model",
    fn: "void_charged",
    from: "case when b.today = (c.at at time zone 'UTC')::date",
    to: "case when true",
    scene: [
      admit(ask(0, 50n)),
      settle(0),
      { type: "advance", ms: 86_400_000 },
      admit(ask(3, 50n)),
      settle(3),
      { type: "void", requests: [0] },
    ],
  },
  {
    name: "a day that ends when the clock is set back",
    caughtBy: "model",
    fn: "settled",
    from: "b.today between v_day + 1 and v_soon",
    to: "false",
    scene: [
      { type: "advance", ms: 43_201_000 },
      admit(ask(0, 50n), ask(3, 50n), ask(6, 50n)),
      settle(0),
      { type: "advance", ms: -5_000 },
      ended(...settle(3).ends, ...settle(6).ends),
    ],
  },
  {
    name: "a void that leaves its cost as the last",
    caughtBy: "model",
    fn: "void_charged",
    from: "set last_cost = coalesce(",
    to: "set last_cost = coalesce(b.last_cost, ",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }],
  },
  {
    name: "a void that frees the claim of what was delivered",
    caughtBy: "model",
    fn: "void_charged",
    from: "if p_delivered then",
    to: "if false then",
    scene: [
      admit({ ...ask(0, 50n), claim: { name: 0, fingerprint: 0 } }),
      settle(0),
      { type: "void", requests: [0], delivered: true },
    ],
  },
  {
    name: "what was absorbed and nobody books",
    caughtBy: "I3",
    fn: "settled",
    from: "case when v_granted_credits[e] is not null then p_absorbed_credits[i] end",
    to: "0",
    scene: [admit(ask(1, 20n)), ended({ ...failed(1, 0n), absorbed: 60n })],
  },
  {
    name: "write-offs that are never forgiven",
    caughtBy: "model",
    fn: "house_booked",
    from: "and minute <= v_minute - interval '61 minutes'",
    to: "and false",
    scene: [
      admit(ask(1, 20n), ask(4, 20n)),
      ended({ ...failed(1, 0n), absorbed: 60n }),
      { type: "advance", ms: 3_700_000 },
      ended({ ...failed(4, 0n), absorbed: 60n }),
    ],
  },
  {
    name: "a key suspended for what its providers failed at",
    caughtBy: "model",
    fn: "is_over_cap",
    from: "w.unit, false)",
    to: "w.unit, true)",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ended(failed(1, 60n)), ended({ ...failed(4, 0n), absorbed: 60n })],
  },
  {
    name: "a key whose overruns suspend it never",
    caughtBy: "model",
    fn: "house_booked",
    from: "filter (where u.kind <> 'failed')",
    to: "filter (where u.kind = 'write_off')",
    scene: [admit(ask(0, 50n), ask(3, 240n)), ended({ ...failed(0, 0n), outcome: "completed", charge: 160n })],
  },
  {
    name: "funding applied again by the same reference",
    caughtBy: "funding_pkey",
    fn: "funding_met",
    from: "from funding where counter = p_counter and reference",
    to: "from funding where false and reference",
    scene: [1, 2].map(() => ({ type: "fund", counter: ownCounter(0), reference: 1, kind: "grant", amount: 9n })),
  },
  {
    name: "a summary that shows the old period",
    caughtBy: "model",
    fn: "usage_v1",
    from: "t.now >= k.period_ends_at",
    to: "false",
    scene: [admit(ask(2, 200n)), { type: "advance", ms: 86_400_000 }],
  },
];

function ask(request: number, amount: bigint): AskPlan {
  const rest = { unlimited: false, lifetimeMs: 300_000, stale: false, claim: null };
  return { request, least: amount, most: amount, ...rest };
}

function admit(...asks: AskPlan[]): Command {
  return { type: "admit", process: 0, asks };
}

function settle(request: number): Extract<Command, { type: "settle" }> {
  return { type: "settle", ends: [completed(request)] };
}

function completed(request: number) {
  const end = { charge: 40n, tokens: 1, delivered: true, recorded: true, answer: null } as const;
  return { request, outcome: "completed", ...end } as const;
}

function ended(...ends: Extract<Command, { type: "settle" }>["ends"]): Command {
  return { type: "settle", ends };
}

function left(request: number, waived: bigint) {
  return { ...failed(request, waived), outcome: "client_gone", delivered: false, recorded: false } as const;
}

function failed(request: number, waived: bigint) {
  const end = { charge: 0n, tokens: 1, delivered: true, recorded: true, answer: null } as const;
  return { request, outcome: "upstream_failed", waived, ...end } as const;
}
