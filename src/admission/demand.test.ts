import fc from "fast-check";
import { expect, test } from "vitest";
import { chargeOf } from "../core/price.ts";
import { estimateInput } from "../tokens/estimate-input.ts";
import { type DemandFacts, demandOf } from "./demand.ts";
import { NO_USAGE } from "../core/usage.ts";

const tariff = {
  inputNano: 1_000_000_000n,
  outputNano: 4_000_000_000n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const facts: DemandFacts = {
  tariff,
  input: estimateInput(Buffer.from("hello world, how are you today?")),
  choices: 1,
  maxOutputTokens: 100,
  publishedOutputTokens: 8_000,
  floorOutputTokens: 1_024,
  tokenFactor: 1,
};

test("with a limit of its own a request needs all of it from the start [MON-8] [MON-9]", () => {
  const { least, most, unlimited } = demandOf(facts);

  expect(unlimited).toBe(false);
  expect(most).toBe(BigInt(facts.input.most) * 1_000n + 400_000n);
  expect(least).toBeGreaterThan(400_000n);
  expect(least).toBeLessThan(most);
});

test("without a limit it can begin with the model's floor and may take the published limit [decision 17] [MON-11]", () => {
  const { least, most, unlimited } = demandOf({ ...facts, maxOutputTokens: null });

  expect(unlimited).toBe(true);
  expect(least - demandOf({ ...facts, maxOutputTokens: 1_024 }).least).toBe(0n);
  expect(most - demandOf({ ...facts, maxOutputTokens: 8_000 }).most).toBe(0n);
});

test("several choices reserve for each of them [MON-7]", () => {
  const one = demandOf(facts).most;

  expect(demandOf({ ...facts, choices: 3 }).most - one).toBe(800_000n);
});

test("a key that pays in tokens reserves tokens", () => {
  const { most } = demandOf({ ...facts, tariff: null });

  expect(most).toBe(BigInt(facts.input.most) + 100n);
});

test("whatever is granted, the output it affords can be paid from it beside the estimated input", () => {
  const price = fc.bigInt({ min: 0n, max: 100_000_000_000n });
  const request = fc.record({
    inputNano: price,
    outputNano: price,
    body: fc.string({ maxLength: 400 }),
    limit: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: null }),
    choices: fc.integer({ min: 1, max: 4 }),
    share: fc.integer({ min: 0, max: 1_000 }),
  });

  fc.assert(
    fc.property(request, ({ inputNano, outputNano, body, limit, choices, share }) => {
      const asked = {
        ...facts,
        tariff: { ...tariff, inputNano, outputNano },
        input: estimateInput(Buffer.from(body)),
        choices,
      };
      const demand = demandOf({ ...asked, maxOutputTokens: limit });
      const granted = demand.least + ((demand.most - demand.least) * BigInt(share)) / 1_000n;
      const outputTokens = demand.affordableOutputTokens(granted) * choices;

      expect(demand.least).toBeLessThanOrEqual(demand.most);
      expect(outputTokens).toBeGreaterThanOrEqual(Math.min(limit ?? 1_024, 8_000) * choices);
      const usage = { ...NO_USAGE, inputTokens: demand.inputTokens, outputTokens };
      expect(chargeOf(asked.tariff, usage)).toBeLessThanOrEqual(granted);
    }),
  );
});

test("an amount that does not even cover the input affords no output", () => {
  expect(demandOf(facts).affordableOutputTokens(0n)).toBe(0);
  expect(demandOf(facts).affordableOutputTokens(10n ** 15n)).toBe(100);
});

test("a model that costs nothing is held for all the same, since holding nothing means counting only", () => {
  const free = { ...tariff, inputNano: 0n, outputNano: 0n };

  expect(demandOf({ ...facts, tariff: free })).toMatchObject({ least: 0n, most: 1n });
});
