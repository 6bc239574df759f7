import fc from "fast-check";
import { expect, test } from "vitest";
import { readConverseUsage } from "./converse-usage.ts";

const CLAUDE = "us.anthropic.claude-opus-5";
const GPT = "openai.gpt-5.6-v1:0";
const plain = { model: CLAUDE, streamed: false };
const streamed = { model: CLAUDE, streamed: true };

const used = (more: object = {}) => ({ usage: { inputTokens: 2, outputTokens: 9, totalTokens: 0, ...more } });
const cached = (read: number, write: number, more: object = {}) =>
  used({ cacheReadInputTokens: read, cacheWriteInputTokens: write, ...more });
const of = (hour: number, minutes: number) => [
  { ttl: "1h", inputTokens: hour },
  { ttl: "5m", inputTokens: minutes },
];

test("what was read from a cache and written to it is input beside what is told as input", () => {
  expect(readConverseUsage(cached(100, 50, { cacheDetails: of(30, 20) }), plain)).toMatchObject({
    inputTokens: 152,
    outputTokens: 9,
    cacheReadTokens: 100,
    cacheWriteTokens: 50,
    cacheWrite1hTokens: 30,
    reasoningTokens: 0,
  });
  expect(readConverseUsage(used(), plain)).toMatchObject({ inputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 });
});

test.each([
  { model: GPT, streamed: true, input: 12_401, whole: 12_401 },
  { model: "us.openai.gpt-5.6-v1:0", streamed: true, input: 12_401, whole: 12_401 },
  {
    model: "arn:aws:bedrock:us-east-1:1:inference-profile/us.openai.gpt-5.6",
    streamed: true,
    input: 12_399,
    whole: 12_399,
  },
  { model: GPT, streamed: false, input: 12_401, whole: 24_800 },
  { model: GPT, streamed: true, input: 12_398, whole: 24_797 },
  { model: CLAUDE, streamed: true, input: 12_401, whole: 24_800 },
])("$model tells the whole input only in streams: $input is $whole", ({ input, whole, ...answered }) => {
  const usage = readConverseUsage(cached(8_367, 4_032, { inputTokens: input }), answered);

  expect(usage).toMatchObject({ inputTokens: whole, cacheReadTokens: 8_367, cacheWriteTokens: 4_032 });
});

test("without a cache there is one way to read the input, whoever tells it", () => {
  expect(readConverseUsage(cached(0, 0, { inputTokens: 70 }), { model: GPT, streamed: true })?.inputTokens).toBe(70);
});

test("what was written is told twice in some streams, which shows where it says for how long", () => {
  const twice = cached(0, 8_000, { cacheDetails: of(1_000, 3_000) });

  expect(readConverseUsage(twice, streamed)).toMatchObject({
    inputTokens: 4_002,
    cacheWriteTokens: 4_000,
    cacheWrite1hTokens: 1_000,
  });
  expect(readConverseUsage(twice, plain)).toMatchObject({ inputTokens: 8_002, cacheWriteTokens: 8_000 });
  expect(readConverseUsage(cached(0, 8_000, { cacheDetails: of(0, 3_999) }), streamed)?.cacheWriteTokens).toBe(8_000);
  expect(readConverseUsage(cached(0, 8_000), streamed)?.cacheWriteTokens).toBe(8_000);
});

test("the tier that an answer was served on is told, the ordinary one as such", () => {
  const servedOn = (type: unknown) => readConverseUsage({ ...used(), serviceTier: { type } }, plain)?.served;

  expect([servedOn("priority"), servedOn("default"), servedOn(7)]).toEqual([
    { tier: "priority" },
    { tier: "default" },
    undefined,
  ]);
});

test.each([
  [undefined],
  [null],
  [{}],
  [{ inputTokens: 3 }],
  [{ outputTokens: 3 }],
  [{ inputTokens: -1, outputTokens: 3 }],
  [{ inputTokens: 1e18, outputTokens: 3 }],
  [{ inputTokens: "9", outputTokens: 3 }],
  [{ inputTokens: 9, outputTokens: 0.5 }],
  [{ inputTokens: 9, outputTokens: 3, cacheReadInputTokens: -4 }],
  [{ inputTokens: 9, outputTokens: 3, cacheWriteInputTokens: "4" }],
])("a usage of %j cannot be true", (usage) => {
  expect(readConverseUsage({ usage }, plain)).toBeNull();
});

test("no share is larger than its whole, whatever is told", () => {
  const count = fc.oneof(fc.nat(1_000_000), fc.constant(undefined));
  const details = fc.array(fc.record({ ttl: fc.constantFrom("1h", "5m", 7), inputTokens: fc.anything() }));
  fc.assert(
    fc.property(count, count, count, details, fc.boolean(), (input, read, write, cacheDetails, isStream) => {
      const told = { inputTokens: input, cacheReadInputTokens: read, cacheWriteInputTokens: write, cacheDetails };
      const usage = readConverseUsage({ usage: { outputTokens: 1, ...told } }, { model: GPT, streamed: isStream });
      if (usage === null) return;
      const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;

      expect(cacheReadTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens);
      expect(cacheWrite1hTokens).toBeLessThanOrEqual(cacheWriteTokens);
    }),
  );
});
