import { type AskPlan, type Command, type EndPlan, PURSE, TREE_KEYS } from "./commands.ts";
import { tryCounterOrder, tryGivenBackOrder } from "./lock-order-trial.ts";
import type { BrokenSql } from "./notice-sql.ts";

/** Requests of the key of a person, of one of the first team, and of one of the second, whose limit is in tokens. */
const [PERSON, TEAM, TOKENS] = [24, 25, 26] as const;
const PERSON_TOO = 27;

const ask = (request: number, least: bigint, most = least): AskPlan => ({
  request,
  least,
  most,
  tokens: { least: 10n, most: 10n },
  unlimited: false,
  lifetimeMs: 300_000,
  stale: false,
  claim: null,
});
const claimed = (plan: AskPlan): AskPlan => ({ ...plan, claim: { name: 0, fingerprint: 0 } });
const admit = (...asks: AskPlan[]): Command => ({ type: "admit", process: 0, asks });
const end = (request: number, charge: bigint): EndPlan => ({
  request,
  charge,
  outcome: "completed",
  tokens: 1,
  delivered: true,
  recorded: true,
  answer: null,
});
const settle = (...ends: EndPlan[]): Command => ({ type: "settle", ends });
const advance = (ms: number): Command => ({ type: "advance", ms });
const DAY_MS = 86_400_000;

const SPENT: readonly Command[] = [admit(ask(PERSON, 50n)), settle(end(PERSON, 40n))];

/** Both keys in one account, with a request each. */
const TOGETHER: readonly Command[] = [
  { type: "rehome", key: TREE_KEYS[1], account: 3 },
  admit(ask(PERSON, 20n), ask(TEAM, 20n)),
];

/** A lone key that has spent all, and is adopted into the tree of the organisation's purse. */
const ADOPTED: readonly Command[] = [admit(ask(0, 300n)), settle(end(0, 300n)), { type: "rehome", key: 0, account: 3 }];
const REFUNDED: readonly Command[] = [
  ...ADOPTED,
  { type: "refund", request: 0, reference: 1, credits: 39n, tokens: 0n },
];

/** And then what is left of it is undone, which random sequences seldom come to. */
export const GIVEN_BACK: readonly Command[] = [...REFUNDED, { type: "void", requests: [0] }];

/** What is wrong along a chain of counters. */
export const BROKEN_CHAINS: readonly BrokenSql[] = [
  {
    name: "counters above passed over when a request ends",
    caughtBy: "C1",
    fn: "settled",
    from: "if v_links <> '{}' then",
    to: "if false then",
    scene: SPENT,
  },
  {
    name: "counters above passed over when a request starts",
    caughtBy: "C1",
    fn: "admit_exact",
    from: "where id = any (v_counters);",
    to: "where id = v_counters[1];",
    scene: [admit(claimed(ask(PERSON, 50n)))],
  },
  {
    name: "what is held forgotten when all fits",
    caughtBy: "C1",
    fn: "admitted",
    from: "set held = (c.held + s.most)::bigint",
    to: "set held = s.most::bigint",
    scene: [admit(ask(PERSON, 50n)), admit(ask(TEAM, 50n))],
  },
  {
    name: "a turn whose starts undo what its ends gave back",
    caughtBy: "C1",
    fn: "admitted",
    from: "set held = (c.held + s.most)::bigint",
    to: "set held = (c.held + s.most + 1)::bigint",
    scene: [admit(ask(PERSON, 50n)), { type: "turn", process: 0, ends: [end(PERSON, 40n)], asks: [ask(TEAM, 50n)] }],
  },
  {
    name: "an excess above that is not given back",
    caughtBy: "C1",
    fn: "settled",
    from: "held = c.held - o.released",
    to: "held = c.held - o.paid",
    scene: SPENT,
  },
  {
    name: "a chain read after the move",
    caughtBy: "C1",
    fn: "settled",
    from: "h.chain, h.counters, h.credits",
    to: "h.chain, (select n.counters from balance n where n.key_id = h.key_id) as counters, h.credits",
    scene: [admit(ask(PERSON, 50n)), { type: "move", account: 3, parent: 0 }, settle(end(PERSON, 40n))],
  },
  {
    name: "a team's older holds given to its new period",
    caughtBy: "C1",
    fn: "periods_turned",
    from: "older_held = held",
    to: "older_held = 0",
    scene: [admit(ask(PERSON, 50n)), advance(DAY_MS), admit(ask(TEAM, 50n))],
  },
  {
    name: "a turned period that is still drawn on",
    caughtBy: "C2",
    fn: "free_of",
    from: "case when period_from > p_admitted then 0 else posted - held end",
    to: "posted - held",
    scene: [
      admit(ask(PERSON, 50n)),
      advance(DAY_MS),
      admit(ask(PERSON_TOO, 20n)),
      advance(1_000),
      settle(end(PERSON, 90n)),
    ],
  },
  {
    name: "a limit for another model applied",
    caughtBy: "C2",
    fn: "chain_v1",
    from: "from unnest(p_counters) c",
    to: "from unnest(b.counters) c",
    scene: [
      {
        type: "open",
        counter: 3,
        account: 3,
        kind: "limit",
        unit: "credit",
        models: ["big"],
        amount: 100n,
        period: "day",
      },
      admit(ask(PERSON, 50n)),
      settle(end(PERSON, 40n)),
    ],
  },
  {
    name: "a refund that passes over the team",
    caughtBy: "C2",
    fn: "given_back",
    from: "unnest(h.counters || h.own)",
    to: "unnest(h.counters[:1])",
    scene: [...SPENT, { type: "refund", request: PERSON, reference: 1, credits: 9n, tokens: 0n }],
  },
  {
    name: "a refund that stays in the purse of a key that was adopted",
    caughtBy: "model",
    fn: "given_back",
    from: "p.closed_at is not null and q.back > 0",
    to: "false",
    scene: REFUNDED,
  },
  {
    name: "a void that stays in the purse of a key that was adopted",
    caughtBy: "model",
    fn: "given_back",
    from: "p.closed_at is not null and q.back > 0",
    to: "p_kind = 'refund'",
    scene: [...ADOPTED, { type: "void", requests: [0] }],
  },
  {
    name: "a refund passed on to another purse and kept as well",
    caughtBy: "I1",
    fn: "purse_passed",
    from: "set posted = posted - p_amount,",
    to: "set posted = posted,",
    scene: REFUNDED,
  },
  {
    name: "a refund passed on to another purse without a word in its journal",
    caughtBy: "C2",
    fn: "purse_passed",
    from: "values (p_to, p_reference, v_seq, 'adjust', p_amount,",
    to: "values (p_to, p_reference, v_seq, 'adjust', 0,",
    scene: REFUNDED,
  },
  {
    name: "a purse that pays now locked after the one it pays for",
    caughtBy: "40P01",
    fn: "counters_of",
    from: "p.kind = 'purse' and p.closed_at is not null",
    to: "false",
    trial: tryGivenBackOrder,
  },
  {
    name: "a charge that the organisation does not see",
    caughtBy: "C2",
    fn: "settled",
    from: "used = c.used + o.paid - o.paid_older",
    to: "used = c.used + case c.kind when 'purse' then 0 else o.paid - o.paid_older end",
    scene: SPENT,
  },
  {
    name: "tokens ignored where credits suffice",
    caughtBy: "invariant",
    fn: "admit_exact",
    from: "coalesce(r.least_tokens <= v_free_tokens, true)",
    to: "true",
    scene: [admit({ ...claimed(ask(TOKENS, 10n)), tokens: { least: 310n, most: 320n } })],
  },
  {
    name: "the smaller of two counters ignored",
    caughtBy: "posted_covers_held",
    fn: "admit_exact",
    from: "select min(q.free) filter (where q.unit = 'credit')",
    to: "select max(q.free) filter (where q.unit = 'credit')",
    scene: [admit(claimed(ask(PERSON, 270n)))],
  },
  {
    name: "a refusal that names whatever comes first",
    caughtBy: "model",
    fn: "refusal_of",
    from: "order by empty desc, kind = 'purse' desc, period_ends_at desc, id desc",
    to: "order by empty desc, kind = 'purse', period_ends_at, id desc",
    scene: [admit(ask(PERSON, 600n))],
  },
  {
    name: "a second payer",
    caughtBy: "C4",
    fn: "require_chains",
    from: "if s.result is null then return; end if;",
    to: "return;",
    scene: [
      {
        type: "open",
        counter: PURSE + 1,
        account: 0,
        key: TREE_KEYS[0],
        kind: "purse",
        unit: "credit",
        models: null,
        amount: 0n,
        period: "none",
      },
    ],
  },
  {
    name: "a move that keys do not hear of",
    caughtBy: "model",
    fn: "keys_rechained",
    from: "update key set account_id = account_id where id = any (p_keys);",
    to: "",
    scene: [{ type: "move", account: 3, parent: 2 }],
  },
  {
    name: "a move that forgets what was used",
    caughtBy: "C3",
    fn: "structure_changed",
    from: "perform keys_rechained(p_keys);",
    to: "perform keys_rechained(p_keys); update counter set used = 0, posted = amount + held where account_id = p_account and kind = 'limit';",
    scene: [
      {
        type: "open",
        counter: 3,
        account: 3,
        kind: "limit",
        unit: "credit",
        models: null,
        amount: 100n,
        period: "day",
      },
      ...SPENT,
      { type: "move", account: 3, parent: 2 },
    ],
  },
  {
    name: "a notice told twice",
    caughtBy: "C5",
    fn: "thresholds_passed",
    from: "n.value = t.mark",
    to: "false",
    also: "alter table notice drop constraint notice_counter_period_no_revision_kind_value_key",
    scene: [admit(ask(PERSON, 210n)), settle(end(PERSON, 210n)), admit(ask(TEAM, 40n)), settle(end(TEAM, 40n))],
  },
  {
    name: "a notice that is never told",
    caughtBy: "C5",
    fn: "settled",
    from: "if v_fired is not null or v_fired_too is not null then",
    to: "if v_fired is not null then",
    scene: [admit(ask(PERSON, 210n)), settle(end(PERSON, 210n))],
  },
  {
    name: "a refusal of little that counts as too large",
    caughtBy: "model",
    fn: "refusal_told",
    from: "p_little or ",
    to: "",
    scene: [{ type: "refuse", counter: 1, little: true }],
  },
  {
    name: "a purse held against all that was ever funded",
    caughtBy: "model",
    fn: "refusal_told",
    from: "order by f.seq desc",
    to: "order by f.amount desc",
    scene: [
      { type: "fund", counter: PURSE, reference: 300, kind: "purchase", amount: 1n },
      { type: "fund", counter: PURSE, reference: 301, kind: "adjust", amount: 498n },
      { type: "refuse", counter: PURSE, little: false },
    ],
  },
  {
    name: "a limit that nobody watches until it changes",
    caughtBy: "C5",
    fn: "counter_open_v1",
    from: "perform thresholds_set(array[v_id]);",
    to: "",
    scene: [
      { type: "open", counter: 3, account: 3, kind: "limit", unit: "credit", models: null, amount: 50n, period: "day" },
      ...SPENT,
    ],
  },
  {
    name: "an account whose keys are free of its cap",
    caughtBy: "model",
    fn: "is_over_cap",
    from: "case when w.account then p_account_cap else p_cap end",
    to: "case when not w.account then p_cap end",
    scene: [...TOGETHER, ...[PERSON, TEAM].map((request) => settle({ ...end(request, 0n), absorbed: 80n }))],
  },
  {
    name: "failures that an account is given without end",
    caughtBy: "model",
    fn: "waivers_spent",
    from: "case when b.account then p_cap[i + cardinality(p_key)] else p_cap[i] end",
    to: "case when not b.account then p_cap[i] end",
    scene: [
      ...TOGETHER,
      settle(
        ...[PERSON, TEAM].map((request) => ({ ...end(request, 0n), outcome: "upstream_failed" as const, waived: 80n })),
      ),
    ],
  },
  {
    name: "counters locked in another order",
    caughtBy: "40P01",
    fn: "rows_locked",
    from: "order by id desc for no key update",
    to: "order by id for no key update",
    trial: tryCounterOrder,
  },
];
