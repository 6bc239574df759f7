import { BROKEN_BOOKS } from "./broken-books.ts";
import { BROKEN_LINE } from "./broken-line.ts";
import { BROKEN_SWEEPS } from "./broken-sweeps.ts";
import type { AskPlan, Command } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";

const LOCK = "perform from balance where key_id = any (p_end_key || p_key) order by key_id for no key update;";
/** Each half of a turn locks its own balances once more. */
const HALVES_WITHOUT_LOCK = `do $broken$
  declare half regproc;
  begin
    foreach half in array array['admit_v2', 'settle_v2']::regproc[] loop
      execute replace(pg_get_functiondef(half), 'perform from balance where key_id = any (p_key) order by key_id for no key update;', '');
    end loop;
  end
$broken$`;
const BEGIN_FIRST = `if cardinality(p_end_id) > 0 and cardinality(p_id) > 0 then
    return query
      select 'admit', a.place, a.verdict, a.amount, a.posted, a.held, a.retry_after_ms, a.period_ends_at
        from admit_v2(p_process, p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model, p_price, p_lifetime_ms, p_sha,
                      p_print) a;
    p_id := null;
  end if;
  if cardinality(p_end_id) > 0 then`;

const KILL = "delete from hold h\n     using (";
const SPARE = "update hold h set claimed = h.claimed\n      from (";

/** One wrong word in one function. A suite that lets any of these pass is blind. */
export const BROKEN_SQL: readonly BrokenSql[] = [
  ...BROKEN_BOOKS,
  ...BROKEN_LINE,
  ...BROKEN_SWEEPS,
  {
    name: "check-then-act: no lock between the look and the grant",
    caughtBy: "posted_covers_held",
    fn: "turn_v1",
    from: LOCK,
    to: "",
    also: HALVES_WITHOUT_LOCK,
    stormy: true,
  },
  {
    name: "lock order swapped: a turn takes the holds before the balances",
    caughtBy: "40P01",
    fn: "turn_v1",
    from: LOCK,
    to: `perform from hold where id = any (p_end_id) order by id for update; ${LOCK}`,
    stormy: true,
  },
  {
    name: "lock order swapped: a turn locks what begins after what ends",
    caughtBy: "40P01",
    fn: "turn_v1",
    from: LOCK,
    to: "",
    stormy: true,
  },
  {
    name: "a turn that begins requests before it ends others",
    caughtBy: "model",
    fn: "turn_v1",
    from: "if cardinality(p_end_id) > 0 then",
    to: BEGIN_FIRST,
    scene: [admit(ask(0, 250n)), { ...settle(0), type: "turn", process: 0, asks: [ask(3, 200n)] }],
  },
  {
    name: "a check that forgets what is held",
    caughtBy: "posted_covers_held",
    fn: "admit_v2",
    from: "d.taken <= b.posted - b.held",
    to: "d.taken <= b.posted",
  },
  {
    name: "a prefix-sum refusal: what was refused counts against the next",
    caughtBy: "model",
    fn: "admit_exact",
    from: "verdict := 'reserved';",
    to: "verdict := 'reserved'; b.held := b.held + r.least;",
    scene: [admit(ask(0, 200n)), admit(ask(3, 150n), { ...ask(6, 50n), claim: { name: 0, fingerprint: 0 } })],
  },
  {
    name: "an id that may be admitted twice",
    caughtBy: "model",
    fn: "admit_v2",
    from: "union all\n    select hold_id from charge",
    to: "except\n    select hold_id from charge",
  },
  {
    name: "a rate that is not looked at when all fits",
    caughtBy: "I10",
    fn: "admit_v2",
    from: "d.cap is null",
    to: "true",
    scene: [0, 3, 6, 9].map((request) => admit(ask(request, 1n))),
  },
  {
    name: "a stale key let in when all fits",
    caughtBy: "model",
    fn: "admit_v2",
    from: "p_version[i] = version and",
    to: "",
    scene: [admit({ ...ask(0, 1n), stale: true })],
  },
  {
    name: "a period that does not turn",
    caughtBy: "model",
    fn: "admit_v2",
    from: "and v_now < b.period_ends_at",
    to: "",
  },
  { name: "claims passed over when all fits", caughtBy: "model", fn: "admit_v2", from: "p_sha[i] is null and", to: "" },
  {
    name: "half of too much",
    caughtBy: "I8",
    fn: "admit_exact",
    from: "greatest(r.least, v_free / 2)",
    to: "v_free / 2",
  },
  {
    name: "refusals that use up the rate",
    caughtBy: "model",
    fn: "admit_exact",
    from: "'rate_limited', 'reserved',",
    to: "'rate_limited',",
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
    fn: "balance_turned",
    from: "older_held = held",
    to: "older_held = 0",
  },
  {
    name: "a missing state guard: the hold outlives its end",
    caughtBy: "charge_other_pkey",
    fn: "settle_v2",
    from: KILL,
    to: SPARE,
  },
  {
    name: "a charge keyed by kind: one hold, two ends",
    caughtBy: "I4",
    fn: "settle_v2",
    from: KILL,
    to: SPARE,
    also: "alter table charge drop constraint charge_pkey; alter table charge add primary key (hold_id, kind)",
  },
  {
    name: "a refund on abort only",
    caughtBy: "I2",
    fn: "settle_v2",
    from: "held = b.held - g.released,",
    to: "held = b.held - case when g.paid = 0 then g.released else g.paid end,",
  },
  {
    name: "a failure that is charged",
    caughtBy: "I5",
    fn: "settle_v2",
    from: "case when free then 0 else least(charge, amount) end",
    to: "least(charge, amount)",
  },
  {
    name: "failures that are free without end",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "v_borne + r.waived > r.cap",
    to: "false",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ...[1, 4].map((request) => ended(failed(request, 60n)))],
  },
  {
    name: "failures that forget what the house already bears",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "coalesce(sum(m.caused + m.failed), 0)",
    to: "0",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ...[1, 4].map((request) => ended(failed(request, 60n)))],
  },
  {
    name: "failures of one batch that do not count one another",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "v_borne := v_borne + r.waived;",
    to: "null;",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ended(failed(1, 60n), failed(4, 60n))],
  },
  {
    name: "a failure charged although the house bore nothing",
    caughtBy: "I5",
    fn: "waivers_spent",
    from: "v_borne + r.waived > r.cap",
    to: "true",
  },
  {
    name: "a provider's usage trusted, however huge",
    caughtBy: "posted_covers_held",
    fn: "settle_exact",
    from: "least(r.charge, r.amount + b.posted - b.held)",
    to: "r.charge",
  },
  {
    name: "a settle without fence: a sweep taken for the client's own end",
    caughtBy: "I3",
    fn: "settle_v2",
    from: "c.kind not in ('swept', 'voided')",
    to: "c.kind not in ('voided')",
    scene: [admit(ask(0, 50n)), { type: "crash", process: 0 }, { type: "sweep", process: 1, limit: 9 }, settle(0)],
  },
  {
    name: "an overrun nobody books",
    caughtBy: "I3",
    fn: "settle_v2",
    from: "case when v_free[e] then 0 else v_charge[e] - v_paid[e] end",
    to: "0",
  },
  {
    name: "a charge that takes from others' holds",
    caughtBy: "posted_covers_held",
    fn: "settle_exact",
    from: "r.amount + b.posted - b.held",
    to: "r.amount + b.posted",
  },
  {
    name: "a claim freed although content was delivered",
    caughtBy: "model",
    fn: "close_claims",
    from: "and not coalesce(p_delivered[i], false)",
    to: "",
  },
  {
    name: "a void that refunds again",
    caughtBy: "funding_pkey",
    fn: "void_v2",
    from: "      if found then\n        result := 'already';",
    to: "      if false then\n        result := 'already';",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }, { type: "void", requests: [0] }],
  },
  {
    name: "a void that leaves what it undid among what was used",
    caughtBy: "I1",
    fn: "void_charged",
    from: "b.used - c.amount",
    to: "b.used",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }],
  },
  {
    name: "a void that counts as money paid in",
    caughtBy: "I1",
    fn: "void_charged",
    from: "b.purchased - (c.amount - refunded)",
    to: "b.purchased + refunded",
    scene: [admit(ask(0, 50n)), settle(0), { type: "void", requests: [0] }],
  },
  {
    name: "a void of yesterday taken off today",
    caughtBy: "model",
    fn: "void_charged",
    from: "case when b.today = (c.at at time zone 'UTC')::date then c.amount else 0 end",
    to: "c.amount",
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
    fn: "settle_v2",
    from: "b.today between v_day + 1 and v_soon",
    to: "false",
    scene: [
      { type: "advance", ms: 43_201_000 },
      admit(ask(0, 50n), ask(3, 50n)),
      settle(0),
      { type: "advance", ms: -5_000 },
      settle(3),
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
    fn: "settle_v2",
    from: "('write_off', p_absorbed[i])",
    to: "('write_off', 0)",
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
    fn: "house_booked",
    from: "select sum(m.caused)",
    to: "select sum(m.caused + m.failed)",
    scene: [admit(ask(1, 20n), ask(4, 20n)), ended(failed(1, 60n)), ended({ ...failed(4, 0n), absorbed: 60n })],
  },
  {
    name: "a key whose overruns suspend it never",
    caughtBy: "model",
    fn: "house_booked",
    from: "filter (where q.kind <> 'failed')",
    to: "filter (where q.kind = 'write_off')",
  },
  {
    name: "funding applied again by the same reference",
    caughtBy: "funding_pkey",
    fn: "funding_met",
    from: "from funding where key_id = p_key and reference",
    to: "from funding where false and reference",
    scene: [1, 2].map(() => ({ type: "fund", key: 0, reference: 1, kind: "grant", amount: 9n, about: 0 })),
  },
  {
    name: "a summary that shows the old period",
    caughtBy: "model",
    fn: "usage_v1",
    from: "n.now >= b.period_ends_at",
    to: "false",
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
  const end = { outcome: "completed", charge: 40n, tokens: 1, delivered: true, recorded: true, answer: null } as const;
  return { type: "settle", ends: [{ request, ...end }] };
}

function ended(...ends: Extract<Command, { type: "settle" }>["ends"]): Command {
  return { type: "settle", ends };
}

function failed(request: number, waived: bigint) {
  const end = { charge: 0n, tokens: 1, delivered: true, recorded: true, answer: null } as const;
  return { request, outcome: "upstream_failed", waived, ...end } as const;
}
