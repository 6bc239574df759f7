import { expect, test } from "vitest";
import { priceLines, roundedSum } from "../core/money/price-lines.ts";
import { chargeOf } from "../core/money/pay-rate.ts";
import { type Tariff } from "../core/money/price.ts";
import { NO_USAGE, type Usage } from "../core/money/usage.ts";
import { type JournalCharge, moneyOf } from "./show-request.ts";

const tariff: Tariff = {
  inputNano: 3_700_000_001n,
  outputNano: 15_300_000_007n,
  cacheReadNano: 310_000_003n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: 5_000_000_011n,
  toolCallNano: { web_search: 10_000_000n },
};

const usage: Usage = {
  ...NO_USAGE,
  inputTokens: 1_337,
  cacheReadTokens: 400,
  cacheWriteTokens: 300,
  cacheWrite1hTokens: 100,
  outputTokens: 77,
  toolCalls: { web_search: 2 },
};

const charged = (credits: bigint, more: Partial<JournalCharge> = {}): JournalCharge => ({
  kind: "completed",
  beganAtMs: 1_000,
  admittedAtMs: 1_000,
  atMs: 3_000,
  granted: { credits: 50_000_000_000n, tokens: null },
  charged: { credits, tokens: null },
  priceVersion: 3,
  usage,
  served: { tier: "default", region: "any", said: null, upstreamModel: null },
  estimated: false,
  tariff,
  ...more,
});

const NOTHING = { absorbed: [], givenBack: [] };

test("the lines of a price add up to the charge, whatever was used", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let time = 0; time < 2_000; time++) {
    const inputTokens = random(100_000);
    const some: Usage = {
      ...NO_USAGE,
      inputTokens,
      cacheReadTokens: random(60_000),
      cacheWriteTokens: random(60_000),
      cacheWrite1hTokens: random(30_000),
      outputTokens: random(50_000),
      toolCalls: random(2) === 0 ? {} : { web_search: random(5), constructor: 1 },
    };

    expect(roundedSum(priceLines(tariff, some))).toBe(chargeOf(tariff, some));
  }
});

test("a charge is shown as counts times prices, and as what was reserved, released and charged", () => {
  const { credits, tokens, entries } = moneyOf(charged(chargeOf(tariff, usage)), NOTHING);

  expect(credits).toMatchObject({ sum: chargeOf(tariff, usage), charged: chargeOf(tariff, usage), gap: null });
  expect(credits?.lines.map(({ what, count, unitPrice }) => [what, count, unitPrice])).toEqual([
    ["input", 637n, 3_700_000_001n],
    ["output", 77n, 15_300_000_007n],
    ["cache_read", 400n, 310_000_003n],
    ["cache_write_5m", 200n, 3_700_000_001n],
    ["cache_write_1h", 100n, 5_000_000_011n],
    ["tools.web_search", 2n, 10_000_000n],
  ]);
  expect(tokens).toBeNull();
  expect(entries.map(({ kind, credits: amount }) => [kind, amount])).toEqual([
    ["hold", -50_000_000_000n],
    ["release", 50_000_000_000n],
    ["charge", -chargeOf(tariff, usage)],
  ]);
});

test("a charge that is not its sum says why", () => {
  const gap = (credits: bigint, more: Partial<JournalCharge> = {}, beside: object = {}) =>
    moneyOf(charged(credits, more), { ...NOTHING, ...beside }).credits?.gap;
  const overrun = { kind: "overrun", unit: "credit", amount: 5n, atMs: 3_000 };

  expect(gap(0n, { kind: "voided" })).toBe("voided");
  expect(gap(0n, { kind: "upstream_failed" })).toBe("provider_failed");
  expect(gap(50n, { estimated: true })).toBe("estimated");
  expect(gap(50n, {}, { absorbed: [overrun] })).toBe("absorbed");
  expect(gap(50n, { tariff: null })).toBe("no_price");
});

test("a key that counts tokens pays one for each", () => {
  const { credits, tokens } = moneyOf(charged(0n, { charged: { credits: null, tokens: 1_414n } }), NOTHING);

  expect(credits).toBeNull();
  expect(tokens).toMatchObject({ sum: 1_414n, charged: 1_414n, gap: null });
});
