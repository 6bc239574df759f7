import fc from "fast-check";
import { expect, test } from "vitest";
import { costIn, creditRate, type PayRates, TOKEN_RATE } from "../../core/money/pay-rate.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { loadCountTokens } from "../../tokens/count-tokens.ts";
import { DeliveredText } from "../../translate/delivered-text.ts";
import { type Bill, billAtOnce, billOf, costSoFar, type Ending, type Terms } from "./bill.ts";

const TEXT = "The gate opens when the toll is paid, and not before.";
/** A token in costs 1,000 nano-credits and a token out 2,000. */
const CREDITS = creditRate({ inputNano: 1_000_000_000n, outputNano: 2_000_000_000n, toolCallNano: {} });
const IN_TOKENS: PayRates = { credits: null, tokens: TOKEN_RATE };
const credits = (amount: bigint) => ({ credits: amount, tokens: null });
const tokens = (amount: bigint) => ({ credits: null, tokens: amount });
const TERMS: Terms = {
  tier: "default",
  rates: { credits: CREDITS, tokens: null },
  inputTokens: 7,
  countInput: async () => 7,
  tokenFactor: 1,
  contextWindow: 1_000,
  choices: 1,
  mostCalls: 0,
  mostOutputTokens: 2_000,
  granted: credits(5_000_000n),
};

const sumOf = (amounts: Bill["charge"]): bigint => (amounts.credits ?? 0n) + (amounts.tokens ?? 0n);

const delivered = (text: string, said: Usage | null = null): Ending["stage"] => {
  const kept = new DeliveredText();
  kept.addText(text);
  return { inputUsage: () => said, delivered: kept };
};
const ending = (fields: Partial<Ending>): Ending => ({
  outcome: "client_gone",
  answered: true,
  begun: true,
  streamed: true,
  hiddenTokens: 0,
  doubtedTokens: 0,
  lostTokens: 0,
  overdue: false,
  usage: null,
  stage: delivered(TEXT),
  plain: null,
  ...fields,
});
const billFor = (fields: Partial<Ending>, terms: Partial<Terms> = {}) =>
  billOf(ending(fields), { ...TERMS, ...terms }, async (text) => (await loadCountTokens())(text));

test("a stream that was left is counted by the tokenizer, times the factor of its model [CAN-5]", async () => {
  const counted = (await loadCountTokens())(TEXT);
  const plain = await billFor({});
  const dense = await billFor({}, { tokenFactor: 1.5 });

  expect(counted).toBeGreaterThan(8);
  expect(plain).toMatchObject({ usage: { inputTokens: 7, outputTokens: counted }, estimated: true });
  expect(plain.charge).toEqual(credits(7_000n + BigInt(counted) * 2_000n));
  expect(dense.usage.outputTokens).toBe(Math.ceil(counted * 1.5));
});

test("what came after a provider stopped counting is counted on", async () => {
  const text = "word ".repeat(100);
  const all = (await loadCountTokens())(text);
  const stage = delivered("word ".repeat(90));
  const usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 90 };
  stage?.delivered.told(usage.outputTokens);
  const counting = await billFor({ usage, stage });
  stage?.delivered.addText("word ".repeat(10));
  stage?.delivered.told(usage.outputTokens);
  const stopped = await billFor({ usage, stage });

  expect(counting).toMatchObject({ estimated: false, usage: { outputTokens: 90 } });
  expect(stopped.estimated).toBe(true);
  expect(stopped.usage.outputTokens).toBeGreaterThanOrEqual(all - 2);
  expect(stopped.usage.outputTokens).toBeLessThanOrEqual(all + 2);
});

test("what the provider said of the input stands, where it said so before the stream was left [CAN-4]", async () => {
  const said = { ...NO_USAGE, inputTokens: 40 };

  expect((await billFor({ stage: delivered(TEXT, said) })).usage.inputTokens).toBe(40);
});

test("a stream that its deadline ended costs what it would have cost had its caller left [MON-30]", async () => {
  const left = await billFor({});

  expect(await billFor({ outcome: "timed_out" })).toEqual(left);
  expect(left.charge.credits).toBeGreaterThan(0n);
});

test("a deadline that came before the first byte is told as a failure and costs nothing [MON-30]", async () => {
  expect(await billFor({ outcome: "timed_out", begun: false })).toMatchObject({
    charge: credits(0n),
    absorbed: credits(0n),
  });
});

test("a caller that left before the provider answered is waived its input, as counted [CAN-10]", async () => {
  expect(await billFor({ answered: false })).toMatchObject({
    charge: credits(0n),
    waived: credits(7_000n),
    absorbed: credits(0n),
    usage: { inputTokens: 7, outputTokens: 0 },
    estimated: true,
  });
});

test("what a provider may have produced for a caller that left is the house's, within what was set aside [CAN-11]", async () => {
  const lost = { answered: false, lostTokens: 50 };

  expect(await billFor(lost)).toMatchObject({ charge: credits(0n), absorbed: credits(100_000n) });
  expect(await billFor(lost, { granted: credits(60_000n) })).toMatchObject({
    charge: credits(0n),
    absorbed: credits(52_000n),
  });
  expect(await billFor(lost, { rates: IN_TOKENS, granted: tokens(5_000n) })).toMatchObject({
    charge: tokens(0n),
    absorbed: tokens(50n),
    waived: tokens(7n),
  });
});

test("a plain request that was left pays its input, whether or not the provider had answered; the rest is the house's [CAN-13]", async () => {
  for (const answered of [false, true]) {
    const left = { answered, begun: false, streamed: false, stage: null, lostTokens: 50 };

    expect(await billFor(left)).toMatchObject({
      charge: credits(7_000n),
      absorbed: credits(100_000n),
      usage: { outputTokens: 0 },
    });
    expect(await billFor(left, { granted: credits(60_000n) })).toMatchObject({
      charge: credits(7_000n),
      absorbed: credits(52_000n),
    });
  }
});

test("what was delivered before a provider failed is waived, and nothing is when nothing was [MON-32] [MON-42]", async () => {
  const left = await billFor({});

  expect(await billFor({ outcome: "upstream_failed" })).toMatchObject({
    charge: credits(0n),
    waived: left.charge,
    usage: left.usage,
  });
  expect(await billFor({ outcome: "upstream_failed", begun: false })).toMatchObject({
    charge: credits(0n),
    waived: credits(0n),
  });
});

test("what a provider did for a request that ended with an error status is lost, and charged to nobody [MON-48]", async () => {
  const none = { charge: credits(0n), waived: credits(0n), absorbed: credits(0n) };
  const failed = { outcome: "upstream_failed", begun: false, streamed: false, stage: null, lostTokens: 50 } as const;

  // A stream that nobody could read, a whole answer that nobody could read, and one that did not come.
  const unread = await billFor({ outcome: "upstream_failed", begun: false });
  expect(unread).toMatchObject({ ...none, lost: (await billFor({})).charge });
  expect(await billFor({ ...failed, answered: true })).toMatchObject({ ...none, lost: credits(107_000n) });
  expect(await billFor({ ...failed, answered: false, overdue: true })).toMatchObject({
    ...none,
    lost: credits(107_000n),
  });
  expect(await billFor({ ...failed, outcome: "timed_out" })).toMatchObject({ ...none, lost: credits(107_000n) });
  // One that was refused or never sent, and a stream that failed before its first word.
  expect((await billFor({ ...failed, stage: delivered("") })).lost).toEqual(credits(0n));
  expect(await billFor({ ...failed, answered: false })).toMatchObject({ ...none, lost: credits(0n) });
  for (const outcome of ["completed", "client_gone"] as const)
    expect((await billFor({ outcome })).lost).toEqual(credits(0n));
});

test.each(["client_gone", "timed_out", "limited"] as const)(
  "what a model thought unseen is added to what was delivered when it ends by %s [CAN-16]",
  async (outcome) => {
    const seen = await billFor({ outcome });
    const bill = await billFor({ outcome, hiddenTokens: 500 });

    expect(bill.usage).toMatchObject({ outputTokens: seen.usage.outputTokens + 500, reasoningTokens: 500 });
    expect(bill).toMatchObject({ charge: credits((seen.charge.credits ?? 0n) + 1_000_000n), estimated: true });
    expect((await billFor({ outcome, hiddenTokens: 500 }, { granted: credits(90_000n) })).charge).toEqual(
      credits(90_000n),
    );
  },
);

test("what may have been thought in a time that is not charged is the house's, and bounded like all else [CAN-16]", async () => {
  const seen = await billFor({});
  const doubted = await billFor({ doubtedTokens: 500 });

  expect(doubted.charge).toEqual(seen.charge);
  expect(doubted.absorbed).toEqual(credits(1_000_000n));
  expect((await billFor({ doubtedTokens: 500 }, { granted: seen.charge })).absorbed).toEqual(credits(0n));
  // A provider that has counted knows better, and other ends are not the caller's doing.
  const usage = { ...NO_USAGE, inputTokens: 40, outputTokens: 900 };
  expect((await billFor({ doubtedTokens: 500, usage })).absorbed).toEqual(credits(0n));
  expect((await billFor({ doubtedTokens: 500, outcome: "timed_out" })).absorbed).toEqual(credits(0n));
});

test("no estimate is longer than the answer that the provider was told it may give [CAN-16]", async () => {
  const short = { mostOutputTokens: 20 };

  expect((await billFor({ hiddenTokens: 500 }, short)).usage.outputTokens).toBe(20);
  expect((await billFor({ stage: delivered(TEXT.repeat(9)) }, short)).usage.outputTokens).toBe(20);
  expect((await billFor({ answered: false, lostTokens: 500 }, short)).absorbed).toEqual(credits(40_000n));
});

test("thoughts that were shown are part of those that were hidden, or all of them [CAN-16]", async () => {
  const kept = new DeliveredText();
  kept.addText(TEXT);
  kept.addText(TEXT.repeat(9), "thought");
  const stage = { inputUsage: () => null, delivered: kept };
  const shown = await billFor({ stage });
  const few = await billFor({ stage, hiddenTokens: 10 });
  const many = await billFor({ stage, hiddenTokens: 1_000 });

  expect(few).toEqual(shown);
  expect(shown.usage.reasoningTokens).toBeGreaterThan(80);
  expect(many.usage.outputTokens - shown.usage.outputTokens).toBe(1_000 - shown.usage.reasoningTokens);
});

test("what a provider counted on the way stands, unless it had only begun to count [CAN-4]", async () => {
  const counted = await billFor({});
  const begun = await billFor({ usage: { ...NO_USAGE, inputTokens: 40, outputTokens: 1 } });
  const done = await billFor({ usage: { ...NO_USAGE, inputTokens: 40, outputTokens: 900 }, hiddenTokens: 500 });

  expect(begun).toMatchObject({
    estimated: true,
    usage: { inputTokens: 40, outputTokens: counted.usage.outputTokens },
  });
  expect(done).toMatchObject({ estimated: false, usage: { inputTokens: 40, outputTokens: 900 } });
});

test("a provider that counts no output for what it said has not counted [MON-24]", async () => {
  const usage = { ...NO_USAGE, inputTokens: 40 };
  const plain = Buffer.from(JSON.stringify({ choices: [{ message: { content: TEXT } }] }));
  const streamed = await billFor({ outcome: "completed", usage });
  const whole = await billFor({ outcome: "completed", usage, stage: null, plain });

  for (const bill of [streamed, whole]) {
    expect(bill).toMatchObject({ estimated: true, usage: { inputTokens: 40 } });
    expect(bill.usage.outputTokens).toBeGreaterThan(8);
  }
  expect(await billFor({ outcome: "completed", usage, stage: delivered("") })).toMatchObject({ estimated: false });
});

test("what is thought unseen is swept at, too [CAN-16]", () => {
  const stage = { delivered: new DeliveredText(), usage: () => null, inputUsage: () => null };

  const costOf = (hidden: number): bigint => costSoFar(stage, TERMS, hidden).cost.credits ?? 0n;

  expect(costOf(100) - costOf(0)).toBe(200_000n);
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

  expect(
    (await billFor({ outcome: "completed", usage }, { rates: IN_TOKENS, granted: tokens(5_000n) })).charge,
  ).toEqual(tokens(150n));
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
  expect(await billFor({ outcome: "completed", usage })).toEqual({
    charge: credits(charge),
    usage,
    estimated: true,
    absorbed: credits(0n),
    waived: credits(0n),
    lost: credits(0n),
  });
});

test.each<[what: string, terms: Partial<Terms>]>([
  ["credit", {}],
  ["tokens", { rates: IN_TOKENS, granted: tokens(1_000n) }],
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

    // What is charged is the price of what is shown: whoever computes it again finds the same.
    expect(bill).toMatchObject({ charge: costIn(whole.rates, bill.usage), estimated: true });
    // Less than a token is lost by the rounding.
    expect(sumOf(whole.granted) - sumOf(bill.charge)).toBeLessThan(2_000n);
    expect(sumOf(bill.charge)).toBeLessThanOrEqual(sumOf(whole.granted));
    expect(bill.usage.cacheReadTokens).toBeLessThanOrEqual(bill.usage.inputTokens);
    expect(bill.usage.reasoningTokens).toBeLessThanOrEqual(bill.usage.outputTokens);
    expect(
      Object.values({ ...bill.usage, toolCalls: 0, parts: 0, served: 0 }).every(
        (count) => Number.isSafeInteger(count) && count >= 0,
      ),
    ).toBe(true);
  },
);

test("where both units count, an estimate takes at most what was set aside of either, and one usage explains both [MON-24]", async () => {
  const usage = { ...NO_USAGE, inputTokens: 2_000, outputTokens: 2_000 };
  const rates = { credits: CREDITS, tokens: TOKEN_RATE };
  const billed = (granted: { credits: bigint; tokens: bigint }) =>
    billFor({ outcome: "completed", usage }, { rates, granted });

  for (const granted of [
    { credits: 3_000_000n, tokens: 4_000n },
    { credits: 6_000_000n, tokens: 1_000n },
    { credits: 600_000n, tokens: 300n },
  ]) {
    const { charge, usage: shown } = await billed(granted);
    expect(charge).toEqual(costIn(rates, shown));
    expect(charge.credits).toBeLessThanOrEqual(granted.credits);
    expect(charge.tokens).toBeLessThanOrEqual(granted.tokens);
  }
  expect((await billed({ credits: 6_000_000n, tokens: 1_000n })).charge.tokens).toBe(1_000n);
});

test("an estimate takes at most what was set aside [MON-24]", async () => {
  expect(await billFor({}, { granted: credits(9_000n) })).toMatchObject({ charge: credits(9_000n), estimated: true });
  expect(await billFor({ outcome: "completed", usage: null }, { granted: credits(9_000n) })).toMatchObject({
    charge: credits(9_000n),
  });
});

test("a stream that a limit of ours ended costs what it would have cost had its caller left [MON-44]", async () => {
  const left = await billFor({});

  expect(await billFor({ outcome: "limited" })).toEqual(left);
  expect(await billFor({ outcome: "limited", begun: false })).toMatchObject({
    charge: credits(0n),
    absorbed: left.charge,
  });
});

test("a plain answer past its limit costs its caller nothing, and the house all that was set aside [MON-44]", async () => {
  const bill = await billFor({ outcome: "limited", begun: false, stage: null });

  expect(bill).toMatchObject({ charge: credits(0n), absorbed: TERMS.granted });
});

test("a usage at the very edge of the window is the provider's word [MON-22]", async () => {
  const usage = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 3 };

  expect(await billFor({ outcome: "completed", usage })).toMatchObject({
    estimated: false,
    charge: credits(1_006_000n),
  });
});

test("an input that the model cannot take is charged as it was said at the start of a stream, within what was set aside [MON-43]", async () => {
  const said = { ...NO_USAGE, inputTokens: 1_001 };

  expect((await billFor({ stage: delivered("", said) })).charge).toEqual(credits(1_001_000n));
  expect((await billFor({ stage: delivered("", said) }, { granted: credits(50_000n) })).charge).toEqual(
    credits(50_000n),
  );
});

test("what a stream would be swept at is no more than it could be charged [MON-43]", () => {
  const said = { ...NO_USAGE, inputTokens: 1_001, outputTokens: 3 };
  const text = new DeliveredText();
  text.addText(TEXT);
  const told = (usage: Usage | null, granted: bigint) => {
    const stage = { delivered: text, usage: () => usage, inputUsage: () => null };
    return costSoFar(stage, { ...TERMS, granted: credits(granted) });
  };

  expect(told(said, 5_000_000n).cost.credits).toBe(1_007_000n);
  expect(told(said, 50_000n).cost.credits).toBe(49_000n);
  expect(told(null, 50_000n).cost.credits).toBeLessThan(50_000n);
  expect(told({ ...said, inputTokens: 40 }, 10_000n).usage.inputTokens).toBe(40);
});

test("a caller who has the model say a mark of the vocabulary and leaves pays for it like for any other text [CAN-3]", async () => {
  const bill = await billFor({ stage: delivered("<|im_start|>one two three") });

  expect(bill.usage.outputTokens).toBeGreaterThanOrEqual(5);
});

test.each([0, 12])(
  "a provider that counts no input has not counted it, whatever it says of %i tokens of output [MON-24]",
  async (outputTokens) => {
    const usage = { ...NO_USAGE, outputTokens };
    const whole = await billFor({ outcome: "completed", usage });
    const left = await billFor({ usage: { ...NO_USAGE, outputTokens: 50 } });

    expect(whole).toMatchObject({ usage: { inputTokens: 7 }, estimated: true });
    expect(whole.charge.credits).toBeGreaterThan(7_000n);
    expect(left).toMatchObject({ usage: { inputTokens: 7, outputTokens: 50 }, estimated: true });
  },
);

test("however a request ends, its bill balances: in the reserved units, never negative, an estimate within what was reserved", async () => {
  const amount = fc.bigInt({ min: 0n, max: 100_000_000_000n });
  const count = fc.nat({ max: 3_000 });
  const usage = fc.record({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
    reasoningTokens: count,
    toolCalls: fc.dictionary(fc.constantFrom("web_search", "constructor"), fc.nat({ max: 50 })),
  });
  const rates = fc
    .record({ inputNano: amount, outputNano: amount, cacheReadNano: fc.option(amount) })
    .map((tariff) => creditRate({ ...tariff, toolCallNano: { web_search: 7n } }));
  const request = fc.record({
    outcome: fc.constantFrom("completed", "client_gone", "upstream_failed", "timed_out", "limited"),
    text: fc.option(fc.string({ maxLength: 400 })),
    said: fc.option(usage),
    saidOfInput: fc.option(usage),
    flags: fc.record({ answered: fc.boolean(), begun: fc.boolean(), streamed: fc.boolean(), overdue: fc.boolean() }),
    unseen: fc.record({ hiddenTokens: count, doubtedTokens: count, lostTokens: count }),
    units: fc.constantFrom("credit", "tokens", "both"),
    rates,
    granted: fc.bigInt({ min: 1n, max: 10_000_000_000n }),
    input: count,
    limit: fc.integer({ min: 1, max: 4_000 }),
    tokenFactor: fc.constantFrom(1, 1.3, 2),
    mostCalls: fc.nat({ max: 9 }),
  });

  await fc.assert(
    fc.asyncProperty(request, async ({ text, said, saidOfInput, flags, unseen, units, granted, input, ...asked }) => {
      const inCredits = units !== "tokens";
      const inTokens = units !== "credit";
      const terms: Terms = {
        ...TERMS,
        rates: { credits: inCredits ? asked.rates : null, tokens: inTokens ? TOKEN_RATE : null },
        granted: { credits: inCredits ? granted : null, tokens: inTokens ? granted % 5_000n : null },
        inputTokens: input,
        countInput: async () => input,
        mostOutputTokens: asked.limit,
        tokenFactor: asked.tokenFactor,
        mostCalls: asked.mostCalls,
      };
      const stage = text === null ? null : delivered(text, saidOfInput);
      const plain = stage === null ? Buffer.from(JSON.stringify({ output_text: "The gate opens." })) : null;
      const end = ending({ ...flags, ...unseen, outcome: asked.outcome, usage: said, stage, plain });

      const bill = billAtOnce(end, terms) ?? (await billOf(end, terms, async (words) => words.length));

      for (const part of [bill.charge, bill.absorbed, bill.waived, bill.lost]) {
        expect([part.credits === null, part.tokens === null]).toEqual([!inCredits, !inTokens]);
        expect((part.credits ?? 0n) >= 0n && (part.tokens ?? 0n) >= 0n).toBe(true);
      }
      if (bill.estimated) {
        expect((bill.charge.credits ?? 0n) <= (terms.granted.credits ?? 0n)).toBe(true);
        expect((bill.charge.tokens ?? 0n) <= (terms.granted.tokens ?? 0n)).toBe(true);
      }
      expect(sumOf(bill.waived) === 0n || sumOf(bill.charge) === 0n).toBe(true);
    }),
    { numRuns: 500 },
  );
});
