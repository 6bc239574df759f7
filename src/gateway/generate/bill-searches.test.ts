import { describe, expect, test } from "vitest";
import { creditRate } from "../../core/money/pay-rate.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { DeliveredText } from "../../translate/delivered-text.ts";
import { billAtOnce, billOf, costSoFar, type Ending, type Terms } from "./bill.ts";

const credits = (amount: bigint) => ({ credits: amount, tokens: null });
/** A token in costs 1,000 nano-credits and a token out 2,000. */
const TERMS: Terms = {
  tier: "default",
  rates: {
    credits: creditRate({ inputNano: 1_000_000_000n, outputNano: 2_000_000_000n, toolCallNano: { web_search: 0n } }),
    tokens: null,
  },
  inputTokens: 7,
  countInput: async () => 7,
  tokenFactor: 1,
  contextWindow: 1_000,
  choices: 1,
  mostCalls: 0,
  mostOutputTokens: 2_000,
  granted: credits(5_000_000n),
};
const ENDING: Ending = {
  outcome: "client_gone",
  answered: true,
  begun: true,
  streamed: true,
  hiddenTokens: 0,
  doubtedTokens: 0,
  lostTokens: 0,
  overdue: false,
  usage: null,
  stage: null,
  plain: null,
};
const STAGE = { delivered: new DeliveredText(), inputUsage: () => ({ ...NO_USAGE, inputTokens: 100 }) };
STAGE.delivered.addText("amber harbor");

const billFor = (fields: Partial<Ending>, terms: Partial<Terms> = {}) =>
  billOf({ ...ENDING, ...fields }, { ...TERMS, ...terms }, async () => 2);

test("where tools are run a prompt is read again, so that more input than a window is possible, once for each call [MON-51]", async () => {
  const used = (inputTokens: number, searches: number): Usage => ({
    ...NO_USAGE,
    inputTokens,
    outputTokens: 50,
    toolCalls: { web_search: searches },
  });
  const bill = (usage: Usage, mostCalls: number) => billFor({ outcome: "completed", usage }, { mostCalls });

  expect(await bill(used(3_000, 1), 2)).toMatchObject({ estimated: false, charge: credits(3_100_000n) });
  expect(await bill(used(3_001, 1), 2)).toMatchObject({ estimated: true });
  // Nobody asked for a tool.
  expect(await bill(used(1_001, 3), 0)).toMatchObject({ estimated: true });
});

test("a stream that was left is charged the searches that were seen and what they brought [CAN-18]", async () => {
  const runs = { toolCalls: { web_search: 2 }, inputTokens: 300, running: false };
  const rates = {
    credits: creditRate({ inputNano: 10n ** 9n, outputNano: 0n, toolCallNano: { web_search: 70_000n } }),
    tokens: null,
  };
  const stage = { ...STAGE, providerRuns: () => runs };

  expect(await billFor({ stage }, { rates })).toMatchObject({
    estimated: true,
    usage: { inputTokens: 400, toolCalls: { web_search: 2 } },
    charge: credits(400_000n + 140_000n),
  });
  // What was said at the end stands.
  const usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 50, toolCalls: { web_search: 1 } };
  expect((await billFor({ stage, usage }, { rates })).usage).toEqual(usage);
  expect(costSoFar({ ...stage, usage: () => null }, { ...TERMS, rates }).usage.toolCalls).toEqual({ web_search: 2 });
});

describe("a provider that searches more often than it was told", () => {
  const rates = {
    credits: creditRate({ inputNano: 10n ** 9n, outputNano: 0n, toolCallNano: { web_search: 5_000_000n } }),
    tokens: null,
  };
  const used = (searches: number): Usage => ({
    ...NO_USAGE,
    inputTokens: 1_000,
    outputTokens: 50,
    toolCalls: { web_search: searches },
  });
  const granted = credits(12_000_000n);
  const terms = { rates, mostCalls: 2, granted };

  test("takes no more than was reserved, and the operator bears the rest [MON-52]", async () => {
    const bill = await billFor({ outcome: "completed", usage: used(40) }, terms);

    expect(bill.estimated).toBe(true);
    expect(bill.charge.credits).toBeLessThanOrEqual(granted.credits);
    expect((bill.charge.credits ?? 0n) + (bill.absorbed.credits ?? 0n)).toBe(201_000_000n);
    // What the client is shown is what it pays.
    expect(rates.credits.costOf(bill.usage)).toBe(bill.charge.credits);
    expect(billAtOnce({ ...ENDING, outcome: "completed", usage: used(40) }, { ...TERMS, ...terms })).toBeNull();
  });

  test("is paid what it counted where that was reserved", async () => {
    const bill = await billFor({ outcome: "completed", usage: used(3) }, { ...terms, granted: credits(16_000_000n) });

    expect(bill).toMatchObject({ estimated: false, charge: credits(16_000_000n), absorbed: credits(0n) });
  });

  test("costs a stream that dies under way no more either", () => {
    const stage = { ...STAGE, usage: () => used(40) };

    expect(costSoFar(stage, { ...TERMS, ...terms }).cost.credits).toBeLessThanOrEqual(granted.credits);
  });

  test("within its cap is charged beyond the reservation for what it found", async () => {
    const usage = { ...used(2), inputTokens: 3_000 };

    expect(await billFor({ outcome: "completed", usage }, terms)).toMatchObject({
      estimated: false,
      charge: credits(13_000_000n),
    });
  });
});

test("a short answer may rest on as many searches as were reserved", async () => {
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: 10,
    outputTokens: 1,
    toolCalls: { web_search: 2, grounded_prompt: 1 },
  };

  expect(await billFor({ outcome: "completed", usage }, { mostCalls: 2 })).toMatchObject({ estimated: false });
  expect(await billFor({ outcome: "completed", usage }, { mostCalls: 1 })).toMatchObject({ estimated: true });
});

test("a model without a window can't have read more than any model's [MON-43]", async () => {
  const usage: Usage = { ...NO_USAGE, inputTokens: 2_000_001, outputTokens: 50 };
  const terms = { contextWindow: null };

  expect(await billFor({ outcome: "completed", usage }, terms)).toMatchObject({ estimated: true });
  expect((await billFor({ outcome: "completed", usage }, terms)).charge.credits).toBeLessThanOrEqual(5_000_000n);
  expect(await billFor({ outcome: "completed", usage: { ...usage, inputTokens: 2_000_000 } }, terms)).toMatchObject({
    estimated: false,
  });
  expect(
    await billFor({ outcome: "completed", usage: { ...usage, inputTokens: 6_000_000 } }, { ...terms, mostCalls: 2 }),
  ).toMatchObject({
    estimated: false,
  });
});
