import fc from "fast-check";
import { expect, test } from "vitest";
import { chargeOf, creditRate, roundedUp, unpricedUsage } from "./pay-rate.ts";
import { callsFault, mergeTariff, type Tariff } from "./price.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const tariff: Tariff = {
  inputNano: 3_000_000_000n,
  outputNano: 15_000_000_000n,
  cacheReadNano: 300_000_000n,
  cacheWrite5mNano: 3_750_000_000n,
  cacheWrite1hNano: 6_000_000_000n,
  toolCallNano: { web_search: 10_000_000n },
};
const plain: Tariff = {
  ...tariff,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const usage = NO_USAGE;
const dearestInputNano = (priced: Tariff): bigint => creditRate(priced).mostOf({ input: 1, output: 0 });

test("a charge is the sum of its parts, cached input at its own price and not twice", () => {
  expect(chargeOf(tariff, { ...usage, inputTokens: 1_000_000 })).toBe(3_000_000_000n);
  expect(chargeOf(tariff, { ...usage, inputTokens: 1_000_000, cacheReadTokens: 900_000 })).toBe(570_000_000n);
  expect(chargeOf(tariff, { ...usage, inputTokens: 10, cacheWriteTokens: 10, outputTokens: 2 })).toBe(67_500n);
});

test("what is kept for an hour costs the hour's price, and the rest of the writes that of five minutes", () => {
  const written = { ...usage, inputTokens: 100, cacheWriteTokens: 100, cacheWrite1hTokens: 40 };

  expect(chargeOf(tariff, written)).toBe(60n * 3_750n + 40n * 6_000n);
});

test("audio, pictures and film are parts of the input and the output, at prices of their own or else as those", () => {
  const parts = {
    input_audio: 5_000,
    input_image: 300,
    input_video: 200,
    cache_read_audio: 3_000,
    output_audio: 40,
    output_image: 60,
  };
  const used = { ...usage, inputTokens: 10_700, cacheReadTokens: 4_000, outputTokens: 2_000, parts };
  const media = {
    inputAudioNano: 1_000_000n,
    inputImageNano: 2_000_000n,
    inputVideoNano: 4_000_000n,
    cacheReadAudioNano: 8_000_000n,
    outputAudioNano: 16_000_000n,
    outputImageNano: 32_000_000n,
  };

  expect(chargeOf(tariff, used)).toBe(6_700n * 3_000n + 4_000n * 300n + 2_000n * 15_000n);
  expect(chargeOf({ ...tariff, ...media }, used)).toBe(
    1_200n * 3_000n +
      1_000n * 300n +
      1_900n * 15_000n +
      5_000n * 1n +
      300n * 2n +
      200n * 4n +
      3_000n * 8n +
      40n * 16n +
      60n * 32n,
  );
  expect(unpricedUsage(tariff, { ...usage, parts: { input_audio: 1 } })).toBe("input_audio");
  expect(
    unpricedUsage(tariff, { ...usage, parts: { input_image: 1, input_video: 1, cache_read_audio: 1 } }),
  ).toBeNull();
});

test("a tool that the provider ran costs its price per call", () => {
  expect(chargeOf(tariff, { ...usage, toolCalls: { web_search: 3 } })).toBe(30_000_000n);
});

test("reasoning is part of the output, and costs what output costs unless it has a price of its own", () => {
  expect(chargeOf(tariff, { ...usage, outputTokens: 100, reasoningTokens: 90 })).toBe(1_500_000n);
  const thinking = { ...tariff, outputReasoningNano: 30_000_000_000n };
  expect(chargeOf(thinking, { ...usage, outputTokens: 100, reasoningTokens: 90 })).toBe(150_000n + 2_700_000n);
  // More thoughts than output are no more than the output.
  expect(chargeOf(thinking, { ...usage, outputTokens: 100, reasoningTokens: 900 })).toBe(3_000_000n);
});

test("there is one rounding, half up, after the parts are added [MON-3]", () => {
  const fine: Tariff = { ...tariff, inputNano: 300_000n, outputNano: 200_000n };

  expect(chargeOf(fine, { ...usage, inputTokens: 1 })).toBe(0n);
  expect(chargeOf(fine, { ...usage, inputTokens: 1, outputTokens: 1 })).toBe(1n);
  expect(roundedUp(1n)).toBe(1n);
  expect(roundedUp(1_000_000n)).toBe(1n);
});

test("a missing cache price is the nearest one known; the dearest of them bounds every use of the cache [MON-6]", () => {
  const written = { ...usage, inputTokens: 10, cacheWriteTokens: 10, cacheWrite1hTokens: 10 };

  expect(chargeOf(plain, { ...usage, inputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 5 })).toBe(30_000n);
  expect(chargeOf({ ...tariff, cacheWrite1hNano: null }, written)).toBe(37_500n);
  expect(dearestInputNano(plain)).toBe(3_000_000_000n);
  expect(dearestInputNano(tariff)).toBe(6_000_000_000n);
});

test("cached shares larger than their whole never make a charge negative", () => {
  expect(chargeOf(tariff, { ...usage, inputTokens: 1, cacheReadTokens: 2 })).toBe(600n);
  expect(chargeOf(tariff, { ...usage, cacheWriteTokens: 1, cacheWrite1hTokens: 2 })).toBe(12_000n);
});

test.each<[part: string | null, tariff: Tariff, usage: Partial<Usage>]>([
  [null, plain, { inputTokens: 5, outputTokens: 5, cacheReadTokens: 5, reasoningTokens: 5 }],
  [null, tariff, { cacheWriteTokens: 2, cacheWrite1hTokens: 1, toolCalls: { web_search: 1 } }],
  ["cache_write_5m", plain, { cacheWriteTokens: 2, cacheWrite1hTokens: 1 }],
  ["cache_write_1h", plain, { cacheWriteTokens: 1, cacheWrite1hTokens: 1 }],
  ["tools.web_search", plain, { toolCalls: { web_search: 1 } }],
  ["tools.code_execution", tariff, { toolCalls: { web_search: 1, code_execution: 1 } }],
  ["tools.constructor", tariff, { toolCalls: { constructor: 1 } }],
  [null, tariff, { toolCalls: { code_execution: 0 } }],
  // Searches of one request, counted in both ways that providers bill.
  [null, tariff, { toolCalls: { web_search: 3, grounded_prompt: 1 } }],
  [null, { ...plain, toolCallNano: { grounded_prompt: 5n } }, { toolCalls: { web_search: 3, grounded_prompt: 1 } }],
  ["tools.web_search", plain, { toolCalls: { web_search: 3, grounded_prompt: 1 } }],
  ["tools.web_search", { ...plain, toolCallNano: { grounded_prompt: 5n } }, { toolCalls: { web_search: 3 } }],
])("%j is what has no price and is not given away in silence", (part, priced, used) => {
  expect(unpricedUsage(priced, { ...usage, ...used })).toBe(part);
});

const price = fc.bigInt({ min: 0n, max: 10n ** 15n });
const count = fc.nat({ max: 5_000_000 });
const tools = ["web_search", "code_execution"];
const tariffs = fc.record<Tariff>({
  inputNano: price,
  outputNano: price,
  cacheReadNano: fc.option(price),
  cacheWrite5mNano: fc.option(price),
  cacheWrite1hNano: fc.option(price),
  outputReasoningNano: fc.option(price),
  toolCallNano: fc.dictionary(fc.constantFrom(...tools), price),
});
const usages = fc.record<Usage>({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  cacheWrite1hTokens: count,
  reasoningTokens: count,
  toolCalls: fc.dictionary(fc.constantFrom(...tools), fc.nat({ max: 100 })),
});
/** As providers report: every share within its whole. */
const consistent = usages.map((used) => {
  const cacheWriteTokens = Math.max(used.cacheWriteTokens, used.cacheWrite1hTokens);
  const inputTokens = used.inputTokens + used.cacheReadTokens + cacheWriteTokens;
  return { ...used, cacheWriteTokens, inputTokens, outputTokens: used.outputTokens + used.reasoningTokens };
});

test("a charge is exact: it equals the slow sum of one price per token, rounded once [MON-1] [MON-2] [MON-3]", () => {
  fc.assert(
    fc.property(tariffs, consistent, (priced, used) => {
      const thought = Math.min(used.reasoningTokens, used.outputTokens);
      const write5mTokens = used.cacheWriteTokens - used.cacheWrite1hTokens;
      const parts: Rational[] = [
        perMillion(used.inputTokens - used.cacheReadTokens - used.cacheWriteTokens, priced.inputNano),
        perMillion(used.cacheReadTokens, priced.cacheReadNano ?? priced.inputNano),
        perMillion(write5mTokens, priced.cacheWrite5mNano ?? priced.inputNano),
        perMillion(used.cacheWrite1hTokens, priced.cacheWrite1hNano ?? priced.cacheWrite5mNano ?? priced.inputNano),
        perMillion(used.outputTokens - thought, priced.outputNano),
        perMillion(thought, priced.outputReasoningNano ?? priced.outputNano),
        ...tools.map((name): Rational => [BigInt(used.toolCalls[name] ?? 0) * (priced.toolCallNano[name] ?? 0n), 1n]),
      ];

      expect(chargeOf(priced, used)).toBe(halfUp(parts.reduce(plus)));
    }),
  );
});

test("a charge is linear: two usages together cost what they cost apart, within their two roundings", () => {
  fc.assert(
    fc.property(tariffs, consistent, consistent, (priced, one, other) => {
      const apart = chargeOf(priced, one) + chargeOf(priced, other);
      const together = chargeOf(priced, sum(one, other));

      expect(together - apart).toBeGreaterThanOrEqual(-1n);
      expect(together - apart).toBeLessThanOrEqual(1n);
    }),
  );
});

test("a charge is never negative, even for shares that contradict their whole, and never above the dearest price", () => {
  fc.assert(
    fc.property(tariffs, usages, consistent, (priced, absurd, used) => {
      const noTools = { ...used, toolCalls: {} };
      const { inputTokens, outputTokens } = used;
      const bound = creditRate(priced).mostOf({ input: inputTokens, output: outputTokens });

      expect(chargeOf(priced, absurd)).toBeGreaterThanOrEqual(0n);
      expect(chargeOf(priced, noTools)).toBeLessThanOrEqual(roundedUp(bound));
    }),
  );
});

type Rational = [numerator: bigint, denominator: bigint];

const perMillion = (tokens: number, nano: bigint): Rational => [BigInt(tokens) * nano, 1_000_000n];
const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
/** The whole part, and one more when twice the rest reaches the denominator. */
const halfUp = ([numerator, denominator]: Rational): bigint =>
  numerator / denominator + (2n * (numerator % denominator) >= denominator ? 1n : 0n);

const sum = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  cacheWrite1hTokens: one.cacheWrite1hTokens + other.cacheWrite1hTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  toolCalls: Object.fromEntries(tools.map((name) => [name, (one.toolCalls[name] ?? 0) + (other.toolCalls[name] ?? 0)])),
});

test("a price names one count of searches: the one that is said last, and never both", () => {
  const searched = { ...plain, toolCallNano: { web_search: 9n, code: 1n } };

  expect(mergeTariff(searched, { toolCallNano: { grounded_prompt: 5n } })?.toolCallNano).toEqual({
    code: 1n,
    grounded_prompt: 5n,
  });
  expect(mergeTariff(searched, { toolCallNano: { grounded_prompt: null } })?.toolCallNano).toEqual({
    code: 1n,
    web_search: 9n,
  });
  expect(mergeTariff(searched, { toolCallNano: { web_search: 3n } })?.toolCallNano).toEqual({
    code: 1n,
    web_search: 3n,
  });
  const both = { ...plain, toolCallNano: { web_search: 9n, grounded_prompt: 5n } };
  expect(callsFault(both)).toMatch("which count the same");
  const line = { when: { inputAbove: 9 }, nano: {}, toolCallNano: { grounded_prompt: 1n }, times: null, sold: true };
  expect(callsFault({ ...searched, when: [line] })).toMatch("which count the same");
  expect(callsFault(searched)).toBeNull();
});
