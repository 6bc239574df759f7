import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listVendors, readPriceList, type Selection } from "./read-price-list.ts";

const ONE = { digits: 1n, exponent: 0 };
const selection: Selection = {
  vendor: "*",
  match: "*",
  exchange: { markup: ONE, creditUsd: ONE },
  carry: { free: false, dearest: false },
};
/** Shaped as https://models.dev/api.json. */
const LIST = readFileSync(join(import.meta.dirname, "../../../tests/support/models-dev.json"), "utf8");
const read = (text: string) => readPriceList(text, "list", selection);
const modelIn = (id: string) => read(LIST).models.find((model) => model.id === id);
const BASE = `"input": 1, "output": 2`;
const modelWith = (cost: string, more = "", vendor = "acme") =>
  read(
    `{"${vendor}": {"models": {"m": {"modalities": {"output": ["text"]}, "limit": {"context": 400000, "output": 9}, "cost": {${cost}}${more}}}}}`,
  );

test("models of models.dev have the ids, routes, limits and formats of LiteLLM's list", () => {
  expect(read(LIST)).toMatchObject({
    form: "models.dev",
    models: [
      { id: "gpt-5.6-sol", upstreamModel: "gpt-5.6-sol", dialect: "chat", contextWindow: 400_000, reasoning: true },
      { id: "claude-opus-5", dialect: "messages", maxOutputTokens: 64_000 },
      { id: "xai/grok-4", upstreamModel: "grok-4" },
      { id: "groq/openai/gpt-oss-120b", upstreamModel: "openai/gpt-oss-120b" },
    ],
    skipped: [
      { id: "text-embedding-3-large", reason: "free" },
      { id: "gpt-image-2", reason: "other_mode" },
    ],
    leftOut: [],
    refused: [],
  });
  expect(listVendors(LIST, "list")).toEqual(["anthropic", "groq", "openai", "xai"]);
});

test("dollars per million tokens become nano-credits without a float between", () => {
  expect(modelIn("groq/openai/gpt-oss-120b")?.tariff).toMatchObject({
    inputNano: 150_000_000n,
    outputNano: 750_000_000n,
  });
  const tariff = modelWith(`"input": 0.0499999999999999999, "output": 1.5e-1`).models[0]?.tariff;
  expect(tariff).toMatchObject({ inputNano: 50_000_000n, outputNano: 150_000_000n });
});

test("a step is where its tier says, and context_over_200k, which repeats it, adds none", () => {
  expect(modelIn("gpt-5.6-sol")?.tariff).toMatchObject({
    inputNano: 4_000_000_000n,
    cacheWrite5mNano: 5_000_000_000n,
    cacheWrite1hNano: null,
    when: [
      {
        when: { inputAbove: 272_000 },
        nano: {
          inputNano: 8_000_000_000n,
          outputNano: 30_000_000_000n,
          cacheReadNano: 800_000_000n,
          cacheWrite5mNano: 10_000_000_000n,
        },
      },
    ],
  });
  expect(modelIn("gpt-5.6-sol")?.tariff.when).toHaveLength(1);
});

test("context_over_200k is a step where there are no tiers", () => {
  const { models } = modelWith(`${BASE}, "context_over_200k": {"input": 2, "output": 3}`);

  expect(models[0]?.tariff.when).toMatchObject([
    { when: { inputAbove: 200_000 }, nano: { inputNano: 2_000_000_000n } },
  ]);
});

test.each([
  ["xai", "inputFrom"],
  ["google-vertex", "inputFrom"],
  ["google", "inputAbove"],
])("the side of a step is that of the vendor: %s, %s", (vendor, side) => {
  const { models } = modelWith(`${BASE}, "tiers": [{"input": 2, "output": 3, "tier": {"size": 200000}}]`, "", vendor);

  expect(models[0]?.tariff.when).toMatchObject([{ when: { [side]: 200_000 } }]);
});

test.each([
  [`${BASE}, "cache_write": 0.5`, "cost.cache_write", "is below the price of input"],
  [
    `${BASE}, "cache_write": 1.25, "tiers": [{"input": 2, "output": 3, "tier": {"size": 200000}}]`,
    "cost.tiers[200000].cache_write",
    "is missing, so that such an input is not sold",
  ],
  [
    `${BASE}, "tiers": [{"input": -2, "output": 3, "tier": {"size": 200000}}]`,
    "cost.tiers[200000].input",
    "-2e-6 is below zero",
  ],
  [
    `${BASE}, "tiers": [{"input": 2, "output": 3, "tier": {"type": "hour", "size": 1}}]`,
    "cost.tiers.0",
    "is no step by size of input, so that the line is left out",
  ],
])("a field that cannot be right leaves out its line by the name of models.dev: %s", (cost, field, problem) => {
  const { models, leftOut } = modelWith(cost);

  expect(models).toMatchObject([{ id: "acme/m" }]);
  expect(leftOut[0]).toEqual({ id: "acme/m", field, problem });
});

test.each([
  [`"input": "1", "output": 2`, "cost.input", '"1" is no number'],
  [`"input": 1200, "output": 2`, "cost.input", "dollars is out of all proportion"],
])("a number that cannot be right is refused by the name of models.dev: %s", (cost, field, problem) => {
  expect(modelWith(cost).refused).toEqual([
    { id: "acme/m", field, problem: expect.stringContaining(problem) as string },
  ]);
});

test("a write at 0 is none, and reasoning at the price of output has none of its own", () => {
  expect(modelWith(`${BASE}, "cache_write": 0, "reasoning": 2`).models[0]?.tariff).toMatchObject({
    cacheWrite5mNano: null,
    outputReasoningNano: null,
  });
});
