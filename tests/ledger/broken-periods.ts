import type { AskPlan, Command } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";

const ask = (request: number): AskPlan => ({
  request,
  least: 20n,
  most: 20n,
  unlimited: false,
  lifetimeMs: 300_000,
  stale: false,
  claim: null,
});
const admit = (...requests: number[]): Command => ({ type: "admit", process: 0, asks: requests.map(ask) });
const settle = (request: number): Command => ({
  type: "settle",
  ends: [{ request, outcome: "completed", charge: 10n, tokens: 1, delivered: true, recorded: true, answer: null }],
});
const advance = (ms: number): Command => ({ type: "advance", ms });

/** Sequences begin at noon. */
const MIDNIGHT = advance(43_201_000);
const BACK = advance(-5_000);
const FAR_BACK = advance(-7_200_000);
/** Requests of the lone token key, of a lone credit key, of the person and of the person's team. */
const [TOKENS, TOKENS_TOO, CREDIT, PERSON, TEAM, TEAM_TOO] = [2, 5, 0, 24, 22, 25];

const PERSONS_LIMIT: Command = {
  type: "open",
  counter: 3,
  account: 3,
  kind: "limit",
  unit: "credit",
  models: null,
  amount: 200n,
  period: "day",
};

/** When periods begin, and for whom, with one word wrong. */
export const BROKEN_PERIODS: readonly BrokenSql[] = [
  {
    name: "one instant for a whole batch, that of the period furthest ahead",
    caughtBy: "model",
    fn: "rows_locked",
    from: "return (ledger_now(), greatest",
    to: "return (greatest(ledger_now(), v_begun, c_begun), greatest",
    scene: [MIDNIGHT, admit(TOKENS), FAR_BACK, admit(TOKENS_TOO, CREDIT, PERSON)],
  },
  {
    name: "an end that begins a period",
    caughtBy: "model",
    fn: "turn_v2",
    from: "a.credits := 1;",
    to: "a.credits := 1; if v_at.ends <= v_at.clock then perform periods_turned(s_key, p_counters, v_at.clock); end if;",
    scene: [admit(TOKENS), MIDNIGHT, settle(TOKENS)],
  },
  {
    name: "a request that spends a period far ahead",
    caughtBy: "model",
    fn: "admit_exact",
    from: "v_begun > p_now + interval '1 hour' or v_ends",
    to: "v_ends",
    scene: [MIDNIGHT, admit(TOKENS), FAR_BACK, admit(TOKENS_TOO)],
  },
  {
    name: "a request that counts from after the end of another of its limits",
    caughtBy: "model",
    fn: "admit_exact",
    from: " or v_ends <= v_begun",
    to: "",
    scene: [PERSONS_LIMIT, MIDNIGHT, admit(TEAM), BACK, admit(PERSON)],
  },
  {
    name: "a request that counts from before the period that pays for it",
    caughtBy: "model",
    fn: "admit_exact",
    from: "greatest(p_now, v_begun)",
    to: "p_now",
    scene: [MIDNIGHT, admit(TOKENS), BACK, admit(TOKENS_TOO)],
  },
  {
    name: "requests of a lone key that are served from before its period when all fit",
    caughtBy: "model",
    fn: "admitted",
    from: "b.least <= b.most and b.begun",
    to: "b.least <= b.most",
    scene: [MIDNIGHT, admit(TOKENS), BACK, admit(TOKENS_TOO, CREDIT)],
  },
  {
    name: "requests of a chain that are served from before a period when all fit",
    caughtBy: "model",
    fn: "admitted",
    from: "c.most <= c.free and c.begun",
    to: "c.most <= c.free",
    scene: [MIDNIGHT, admit(TEAM), BACK, admit(TEAM_TOO)],
  },
  {
    name: "requests of a chain that are served from before a period when some fit",
    caughtBy: "model",
    fn: "admitted",
    from: "and b.begun and coalesce(n.begun, true)",
    to: "and b.begun",
    scene: [MIDNIGHT, admit(TEAM), BACK, admit(TEAM_TOO)],
  },
  {
    name: "a rate that counts what a clock wrote ahead",
    caughtBy: "model",
    fn: "rate_count",
    from: " and v_second < v_to",
    to: "",
    scene: [advance(3_000_000), admit(CREDIT, 3, 6), advance(-3_000_000), admit(9)],
  },
  {
    name: "a rate that is added to what a clock wrote ahead",
    caughtBy: "model",
    fn: "rate_added",
    from: "p_rate[v_to] >> 10 > p_us + 60000000",
    to: "false",
    scene: [advance(3_000_000), admit(CREDIT), advance(-3_000_000), admit(9)],
  },
  {
    name: "a counter that is opened in the period of those above it",
    caughtBy: "model",
    fn: "counter_open_v1",
    from: "v_now := ledger_now();",
    to: "v_now := greatest(ledger_now(), (select max(period_from) from counter where account_id = any (a.path)));",
    scene: [MIDNIGHT, admit(TEAM), BACK, PERSONS_LIMIT],
  },
];
