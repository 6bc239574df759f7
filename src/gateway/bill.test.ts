import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import { loadCountTokens } from "../tokens/count-tokens.ts";
import { DeliveredText } from "../translate/delivered-text.ts";
import { billOf, costOf, costSoFar, type Ending, type Terms } from "./bill.ts";

const TEXT = "The gate opens when the toll is paid, and not before.";
const TERMS: Terms = {
  // A token in costs 1,000 nano-credits and a token out 2,000.
  tariff: {
    inputNano: 1_000_000_000n,
    outputNano: 2_000_000_000n,
    cacheReadNano: null,
    cacheWrite5mNano: null,
    cacheWrite1hNano: null,
    toolCallNano: {},
  },
  inputTokens: 7,
  countInput: async () => 7,
  tokenFactor: 1,
  contextWindow: 1_000,
  choices: 1,
  granted: 5_000_000n,
};

const delivered = (text: string, said: Usage | null = null): Ending["stage"] => {
  const kept = new DeliveredText();
  kept.addText(text);
  return { inputUsage: () => said, delivered: kept };
};
const ending = (fields: Partial<Ending>): Ending => ({
  outcome: "client_gone",
  answered: true,
  begun: true,
  usage: null,
  stage: delivered(TEXT),
  plain: null,
  ...fields,
});
const billFor = (fields: Partial<Ending>, terms: Partial<Terms> = {}) =>
  billOf(ending(fields), { ...TERMS, ...terms }, async (text) => (await loadCountTokens())(text));

test("a stream that was left is counted by the tokenizer, times the factor of its model [CAN-5]", async () => {
  const tokens = (await loadCountTokens())(TEXT);
  const plain = await billFor({});
  const dense = await billFor({}, { tokenFactor: 1.5 });

  expect(tokens).toBeGreaterThan(8);
  expect(plain).toMatchObject({ usage: { inputTokens: 7, outputTokens: tokens }, estimated: true });
  expect(plain.charge).toBe(7_000n + BigInt(tokens) * 2_000n);
  expect(dense.usage.outputTokens).toBe(Math.ceil(tokens * 1.5));
});

test("what the provider said of the input stands, where it said so before the stream was left [CAN-4]", async () => {
  const said = { ...NO_USAGE, inputTokens: 40 };

  expect((await billFor({ stage: delivered(TEXT, said) })).usage.inputTokens).toBe(40);
});

test("a stream that its deadline ended costs what it would have cost had its caller left [MON-30]", async () => {
  const left = await billFor({});

  expect(await billFor({ outcome: "timed_out" })).toEqual(left);
  expect(left.charge).toBeGreaterThan(0n);
});

test("a deadline that came before the first byte is told as a failure and costs nothing [MON-30]", async () => {
  expect(await billFor({ outcome: "timed_out", begun: false })).toMatchObject({ charge: 0n, writeOff: 0n });
});

test("a caller that left before the provider answered pays nothing; its input is the house's [CAN-11]", async () => {
  expect(await billFor({ answered: false })).toMatchObject({ charge: 0n, writeOff: 7_000n });
});

test("a key that pays in tokens pays every one, whichever part of the input or the output it was [MON-28]", async () => {
  const usage = {
    ...NO_USAGE,
    inputTokens: 100,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    outputTokens: 50,
    reasoningTokens: 45,
  };

  expect((await billFor({ outcome: "completed", usage }, { tariff: null })).charge).toBe(150n);
});

test("a usage that is missing is replaced by the estimate, which is marked as one [MON-24]", async () => {
  const bill = await billFor({ outcome: "completed", usage: null });

  expect(bill).toMatchObject({ estimated: true, usage: { inputTokens: 7 } });
  expect(bill.usage.outputTokens).toBeLessThan(40);
});

test.each<[what: string, usage: Usage, charge: bigint]>([
  ["of more input than the model takes", { ...NO_USAGE, inputTokens: 1_001, outputTokens: 1 }, 1_003_000n],
  ["of more output than the model gives", { ...NO_USAGE, inputTokens: 1, outputTokens: 1_001 }, 2_003_000n],
  [
    "of more calls than tokens to ask for them",
    { ...NO_USAGE, inputTokens: 1, outputTokens: 5, toolCalls: { web_search: 4, fetch: 2 } },
    11_000n,
  ],
])("a usage that is %s is priced as reported and marked as doubtful [MON-43]", async (_what, usage, charge) => {
  expect(await billFor({ outcome: "completed", usage })).toEqual({ charge, usage, estimated: true, writeOff: 0n });
});

test.each<[what: string, terms: Partial<Terms>]>([
  ["credit", {}],
  ["tokens", { tariff: null, granted: 1_000n }],
])(
  "a usage that cannot be true takes at most what was set aside, and is shown as what it took, in %s [MON-43]",
  async (_unit, terms) => {
    const usage = {
      ...NO_USAGE,
      inputTokens: 900_001,
      cacheReadTokens: 500_000,
      outputTokens: 300_007,
      reasoningTokens: 300_000,
    };
    const bill = await billFor({ outcome: "completed", usage }, terms);
    const whole = { ...TERMS, ...terms };

    expect(bill).toMatchObject({ charge: whole.granted, estimated: true });
    // Less than a token is lost by the rounding.
    expect(whole.granted - costOf(whole, bill.usage)).toBeLessThan(2_000n);
    expect(bill.usage.cacheReadTokens).toBeLessThanOrEqual(bill.usage.inputTokens);
    expect(bill.usage.reasoningTokens).toBeLessThanOrEqual(bill.usage.outputTokens);
    expect(
      Object.values({ ...bill.usage, toolCalls: 0 }).every((count) => Number.isSafeInteger(count) && count >= 0),
    ).toBe(true);
  },
);

test("an estimate takes at most what was set aside [MON-24]", async () => {
  expect(await billFor({}, { granted: 9_000n })).toMatchObject({ charge: 9_000n, estimated: true });
  expect(await billFor({ outcome: "completed", usage: null }, { granted: 9_000n })).toMatchObject({ charge: 9_000n });
});

test("a stream that a limit of ours ended costs what it would have cost had its caller left [MON-44]", async () => {
  const left = await billFor({});

  expect(await billFor({ outcome: "limited" })).toEqual(left);
  expect(await billFor({ outcome: "limited", begun: false })).toMatchObject({ charge: 0n, writeOff: left.charge });
});

test("a plain answer past its limit costs its caller nothing, and the house all that was set aside [MON-44]", async () => {
  const bill = await billFor({ outcome: "limited", begun: false, stage: null });

  expect(bill).toMatchObject({ charge: 0n, writeOff: TERMS.granted });
});

test("a usage at the very edge of the window is the provider's word [MON-22]", async () => {
  const usage = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 3 };

  expect(await billFor({ outcome: "completed", usage })).toMatchObject({ estimated: false, charge: 1_006_000n });
});

test("an input that the model cannot take is charged as it was said at the start of a stream, within what was set aside [MON-43]", async () => {
  const said = { ...NO_USAGE, inputTokens: 1_001 };

  expect((await billFor({ stage: delivered("", said) })).charge).toBe(1_001_000n);
  expect((await billFor({ stage: delivered("", said) }, { granted: 50_000n })).charge).toBe(50_000n);
});

test("what a stream would be swept at is no more than it could be charged [MON-43]", () => {
  const said = { ...NO_USAGE, inputTokens: 1_001, outputTokens: 3 };
  const text = new DeliveredText();
  text.addText(TEXT);
  const told = (usage: Usage | null, granted: bigint) =>
    costSoFar({ delivered: text, usage: () => usage, inputUsage: () => null }, { ...TERMS, granted });

  expect(told(said, 5_000_000n).cost).toBe(1_007_000n);
  expect(told(said, 50_000n).cost).toBe(50_000n);
  expect(told(null, 50_000n).cost).toBeLessThan(50_000n);
  expect(told({ ...said, inputTokens: 40 }, 10_000n).usage.inputTokens).toBe(40);
});

test("a caller who has the model say a mark of the vocabulary and leaves pays for it like for any other text [CAN-3]", async () => {
  const bill = await billFor({ stage: delivered("<|im_start|>one two three") });

  expect(bill.usage.outputTokens).toBeGreaterThanOrEqual(5);
});
