import type { AskPlan, Command } from "./commands.ts";
import type { BrokenSql } from "./notice-sql.ts";

const ask = (request: number, amount: bigint): AskPlan => ({
  request,
  least: amount,
  most: amount,
  unlimited: false,
  lifetimeMs: 300_000,
  stale: false,
  claim: null,
});
const admit = (request: number, amount: bigint): Command => ({
  type: "admit",
  process: 0,
  asks: [ask(request, amount)],
});
const settle = (request: number, charge = 40n): Command => ({
  type: "settle",
  ends: [{ request, outcome: "completed", charge, tokens: 1, delivered: true, recorded: true, answer: null }],
});
const DAY: Command = { type: "advance", ms: 86_400_000 };

/** The small statements that serve a lone request, with one word wrong. */
export const BROKEN_ALONE: readonly BrokenSql[] = [
  {
    name: "a lone request that may take what is held",
    caughtBy: "posted_covers_held",
    fn: "admitted_alone",
    from: "v_most <= posted - held",
    to: "v_most <= posted",
    scene: [admit(0, 200n), admit(3, 90n)],
  },
  {
    name: "a lone request that may start twice",
    caughtBy: "model",
    fn: "admitted_alone",
    from: "or exists (select from charge where hold_id = p_id)",
    to: "",
    scene: [admit(0, 50n), settle(0), admit(0, 50n)],
  },
  {
    name: "a lone request of a key that has changed",
    caughtBy: "model",
    fn: "admitted_alone",
    from: "version = p_version and ",
    to: "",
    scene: [{ type: "admit", process: 0, asks: [{ ...ask(0, 1n), stale: true }] }],
  },
  {
    name: "a lone request that gives back less than it held",
    caughtBy: "I2",
    fn: "settled_alone",
    from: "held = b.held - v_released,",
    to: "held = b.held - v_paid,",
    scene: [admit(0, 50n), settle(0)],
  },
  {
    name: "a lone request that is charged and not paid for",
    caughtBy: "model",
    fn: "settled_alone",
    from: "when 'purse' then b.posted - v_paid",
    to: "when 'purse' then b.posted",
    scene: [admit(0, 50n), settle(0)],
  },
  {
    name: "a lone request that is charged beyond what it held",
    caughtBy: "posted_covers_held",
    fn: "settled_alone",
    from: "p_credits between 0 and credits",
    to: "p_credits >= 0",
    scene: [admit(0, 50n), admit(3, 240n), settle(0, 160n)],
  },
  {
    name: "a lone request of the last period that is paid from this one",
    caughtBy: "held_not_negative",
    fn: "settled_alone",
    from: "and admitted_at >= v_from",
    to: "",
    scene: [admit(2, 200n), DAY, admit(5, 20n), settle(2)],
  },
  {
    name: "a lone request that counts for yesterday",
    caughtBy: "model",
    fn: "settled_alone",
    from: "when b.today = v_day then b.today_spend + v_paid else v_paid end",
    to: "else b.today_spend + v_paid end",
    scene: [admit(0, 50n), settle(0), DAY, admit(3, 50n), settle(3)],
  },
  {
    name: "a lone request that ends the day when the clock is set back",
    caughtBy: "model",
    fn: "settled_alone",
    from: "b.today between v_day + 1 and v_soon",
    to: "false",
    scene: [
      { type: "advance", ms: 43_201_000 },
      admit(0, 50n),
      admit(3, 50n),
      settle(0),
      { type: "advance", ms: -5_000 },
      settle(3),
    ],
  },
];
