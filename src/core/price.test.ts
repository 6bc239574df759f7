import { expect, test } from "vitest";
import { chargeOf, dearestInputNano, roundedUp, type Tariff } from "./price.ts";
import { NO_USAGE } from "./usage.ts";

const tariff: Tariff = {
  inputNano: 3_000_000_000n,
  outputNano: 15_000_000_000n,
  cacheReadNano: 300_000_000n,
  cacheWrite5mNano: 3_750_000_000n,
  cacheWrite1hNano: 6_000_000_000n,
};
const usage = NO_USAGE;

test("a charge is the sum of its parts, cached input at its own price and not twice", () => {
  expect(chargeOf(tariff, { ...usage, inputTokens: 1_000_000 })).toBe(3_000_000_000n);
  expect(chargeOf(tariff, { ...usage, inputTokens: 1_000_000, cacheReadTokens: 900_000 })).toBe(570_000_000n);
  expect(chargeOf(tariff, { ...usage, inputTokens: 10, cacheWriteTokens: 10, outputTokens: 2 })).toBe(67_500n);
});

test("reasoning is part of the output and costs nothing of its own", () => {
  expect(chargeOf(tariff, { ...usage, outputTokens: 100, reasoningTokens: 90 })).toBe(1_500_000n);
});

test("there is one rounding, half up, after the parts are added", () => {
  const fine: Tariff = { ...tariff, inputNano: 300_000n, outputNano: 200_000n };

  expect(chargeOf(fine, { ...usage, inputTokens: 1 })).toBe(0n);
  expect(chargeOf(fine, { ...usage, inputTokens: 1, outputTokens: 1 })).toBe(1n);
  expect(roundedUp(1n)).toBe(1n);
  expect(roundedUp(1_000_000n)).toBe(1n);
});

test("a missing special price is the input price; the dearest of them bounds every use of the cache", () => {
  const plain: Tariff = { ...tariff, cacheReadNano: null, cacheWrite5mNano: null, cacheWrite1hNano: null };

  expect(chargeOf(plain, { ...usage, inputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 5 })).toBe(30_000n);
  expect(dearestInputNano(plain)).toBe(3_000_000_000n);
  expect(dearestInputNano(tariff)).toBe(6_000_000_000n);
});

test("cached shares larger than their whole never make a charge negative", () => {
  expect(chargeOf(tariff, { ...usage, inputTokens: 1, cacheReadTokens: 2 })).toBe(600n);
});
