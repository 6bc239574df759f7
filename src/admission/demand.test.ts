import fc from "fast-check";
import { expect, test } from "vitest";
import { chargeOf } from "../core/money/pay-rate.ts";
import { type DemandFacts, demandOf } from "./demand.ts";
import { NO_USAGE } from "../core/money/usage.ts";

const tariff = {
  inputNano: 1_000_000_000n,
  outputNano: 4_000_000_000n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
  version: 1,
};
const model: DemandFacts["model"] = {
  price: tariff,
  contextWindow: 128_000,
  maxOutputTokens: 8_000,
  outputCeiling: null,
  outputFloor: 1_024,
  tokenFactor: 1,
};
const facts: DemandFacts = {
  beganAtMs: 0,
  tier: "default",
  mediaTokens: { image: 5_000, smallImage: 3_000, document: 460_000 },
  units: ["credit"],
  model,
  input: { likely: 10, most: 31, mostPredicted: 0 },
  choices: 1,
  maxOutputTokens: 100,
  calls: null,
};

/** What a request takes in credits alone. */
function creditsOf(asked: DemandFacts) {
  const { least, most } = demandOf(asked);
  return { least: least.credits ?? -1n, most: most.credits ?? -1n };
}
const inCredits = (credits: bigint) => ({ credits, tokens: null });

test("with a limit of its own a request needs all of it from the start [MON-8] [MON-9]", () => {
  const { least, most } = creditsOf(facts);

  expect(demandOf(facts).unlimited).toBe(false);
  expect(most).toBe(BigInt(facts.input.most) * 1_000n + 400_000n);
  expect(least).toBe(most);
});

test("what starts on a small balance must be payable from it: the least holds the input at its bound too [MON-8]", () => {
  const { least, inputTokens, mostInputTokens } = demandOf({ ...facts, maxOutputTokens: null });

  expect(least.credits).toBe(31_000n + 1_024n * 4_000n);
  expect({ inputTokens, mostInputTokens }).toEqual({ inputTokens: 10, mostInputTokens: 31 });
});

test("nothing is held for input beyond the window, which no provider takes in [MON-8]", () => {
  const document = { likely: 3_000, most: 460_000, mostPredicted: 0 };

  expect(creditsOf({ ...facts, input: document }).most).toBe(128_000n * 1_000n + 400_000n);
  expect(creditsOf({ ...facts, input: document, model: { ...model, contextWindow: null } }).most).toBe(
    460_000n * 1_000n + 400_000n,
  );
});

test("a prediction is held for at the price of output, for each choice", () => {
  const one = creditsOf(facts).most;
  const input = { ...facts.input, mostPredicted: 50 };

  expect(creditsOf({ ...facts, input }).most - one).toBe(200_000n);
  expect(creditsOf({ ...facts, input, choices: 2 }).most - creditsOf({ ...facts, choices: 2 }).most).toBe(400_000n);
});

test("without a limit it can begin with the model's floor and may take the published limit [interface decision 17] [MON-11]", () => {
  const { least, most } = creditsOf({ ...facts, maxOutputTokens: null });

  expect(demandOf({ ...facts, maxOutputTokens: null }).unlimited).toBe(true);
  expect(least - creditsOf({ ...facts, maxOutputTokens: 1_024 }).least).toBe(0n);
  expect(most - creditsOf({ ...facts, maxOutputTokens: 8_000 }).most).toBe(0n);
});

test("several choices reserve for each of them [MON-7]", () => {
  const one = creditsOf(facts).most;

  expect(creditsOf({ ...facts, choices: 3 }).most - one).toBe(800_000n);
});

test("a key that pays in tokens reserves tokens", () => {
  const { most } = demandOf({ ...facts, units: ["tokens"], model: { ...model, price: null } });

  expect(most).toEqual({ credits: null, tokens: BigInt(facts.input.most) + 100n });
});

test("a chain with both units reserves in both, and the answer grows to what the smaller grant affords", () => {
  const demand = demandOf({ ...facts, units: ["credit", "tokens"], maxOutputTokens: null });
  const affords = (credits: bigint, tokens: bigint): number => demand.affordableOutputTokens({ credits, tokens });

  expect(demand.least).toEqual({ credits: 31_000n + 1_024n * 4_000n, tokens: 31n + 1_024n });
  expect(demand.most).toEqual({ credits: 31_000n + 8_000n * 4_000n, tokens: 31n + 8_000n });
  expect(affords(31_000n + 4_000n * 2_000n, 31n + 3_000n)).toBe(2_000);
  expect(affords(31_000n + 4_000n * 3_000n, 31n + 2_500n)).toBe(2_500);
  // Bytes that a limit adds to the body count in each unit.
  expect(demand.advisableOutputTokens({ credits: 10n ** 12n, tokens: 31n + 100n }, 40)).toBe(60);
});

test("whatever is granted, the output it affords can be paid from it beside all the input there can be", () => {
  const amount = fc.bigInt({ min: 0n, max: 100_000_000_000n });
  const request = fc.record({
    inputNano: amount,
    outputNano: amount,
    likely: fc.nat({ max: 400 }),
    above: fc.nat({ max: 400 }),
    predicted: fc.nat({ max: 100 }),
    limit: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: null }),
    choices: fc.integer({ min: 1, max: 4 }),
    share: fc.integer({ min: 0, max: 1_000 }),
  });

  fc.assert(
    fc.property(request, ({ inputNano, outputNano, likely, above, predicted, limit, choices, share }) => {
      const price = { ...tariff, inputNano, outputNano };
      const asked = {
        ...facts,
        model: { ...model, price },
        input: { likely, most: likely + above, mostPredicted: predicted },
        choices,
      };
      const demand = demandOf({ ...asked, maxOutputTokens: limit });
      const least = demand.least.credits ?? -1n;
      const most = demand.most.credits ?? -1n;
      const granted = least + ((most - least) * BigInt(share)) / 1_000n;
      const outputTokens = (demand.affordableOutputTokens(inCredits(granted)) + predicted) * choices;

      expect(least).toBeLessThanOrEqual(most);
      expect(outputTokens).toBeGreaterThanOrEqual((Math.min(limit ?? 1_024, 8_000) + predicted) * choices);
      const usage = { ...NO_USAGE, inputTokens: demand.mostInputTokens, outputTokens };
      expect(chargeOf(price, usage)).toBeLessThanOrEqual(granted);
    }),
  );
});

test("an amount that does not even cover the input affords no output", () => {
  expect(demandOf(facts).affordableOutputTokens(inCredits(0n))).toBe(0);
  expect(demandOf(facts).affordableOutputTokens(inCredits(10n ** 15n))).toBe(100);
});

test("a model that costs nothing is held for all the same, since holding nothing means counting only", () => {
  const free = { ...tariff, inputNano: 0n, outputNano: 0n };

  expect(demandOf({ ...facts, model: { ...model, price: free } })).toMatchObject({
    least: { credits: 0n },
    most: { credits: 1n },
  });
});
