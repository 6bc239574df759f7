import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import { loadCountTokens } from "../tokens/count-tokens.ts";
import { DeliveredText } from "../translate/delivered-text.ts";
import { billOf, costSoFar, type Ending, type Terms } from "./bill.ts";

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
  tokenFactor: 1,
  contextWindow: 1_000,
  choices: 1,
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
  billOf(ending(fields), { ...TERMS, ...terms }, loadCountTokens);

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

test.each<[what: string, usage: Usage | null]>([
  ["missing", null],
  ["of more input than the model takes", { ...NO_USAGE, inputTokens: 1_001, outputTokens: 1 }],
  ["of more output than the model gives", { ...NO_USAGE, inputTokens: 1, outputTokens: 1_001 }],
  [
    "of more calls than tokens to ask for them",
    { ...NO_USAGE, inputTokens: 1, outputTokens: 5, toolCalls: { web_search: 4, fetch: 2 } },
  ],
])("a usage that is %s is replaced by the estimate, which is marked as one [MON-22] [MON-24]", async (_what, usage) => {
  const bill = await billFor({ outcome: "completed", usage });

  expect(bill).toMatchObject({ estimated: true, usage: { inputTokens: 7 } });
  expect(bill.usage.outputTokens).toBeLessThan(40);
});

test("a usage at the very edge of the window is the provider's word [MON-22]", async () => {
  const usage = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 3 };

  expect(await billFor({ outcome: "completed", usage })).toMatchObject({ estimated: false, charge: 1_006_000n });
});

test("an input that the model cannot take is not charged for because it was said at the start of a stream [MON-22]", async () => {
  const said = { ...NO_USAGE, inputTokens: 1_001 };
  const usage = { ...said, outputTokens: 3 };
  const stage = delivered(TEXT, said);

  expect((await billFor({ stage })).usage.inputTokens).toBe(7);
  expect((await billFor({ outcome: "completed", usage, stage })).usage.inputTokens).toBe(7);
});

test("what a stream would be swept at is no more than it could be charged: impossible figures do not count [MON-22]", () => {
  const said = { ...NO_USAGE, inputTokens: 1_001, outputTokens: 3 };
  const text = new DeliveredText();
  text.addText(TEXT);
  const told = (usage: Usage | null, input: Usage | null) =>
    costSoFar({ delivered: text, usage: () => usage, inputUsage: () => input }, TERMS);

  expect(told(said, null)).toEqual(told(null, null));
  expect(told(said, said)).toEqual(told(null, null));
  expect(told({ ...said, inputTokens: 40 }, null).usage.inputTokens).toBe(40);
});
