import { expect, test } from "vitest";
import { createCatalogue } from "../catalogue/catalogue.ts";
import type { Model, Price } from "../catalogue/model.ts";
import { modelListSchema } from "../wire/models/model-list.ts";
import { createListModels } from "./list-models.ts";

const price: Price = {
  version: 1,
  effectiveFromMs: 0,
  inputNano: 2_500_000_000n,
  outputNano: 10_000_000_000n,
  cacheReadNano: 250_000_001n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const model: Model = {
  id: "m",
  provider: "east",
  createdAtMs: 1_999,
  ownedBy: "east",
  displayName: null,
  tagline: null,
  contextWindow: null,
  maxOutputTokens: 8_192,
  outputCeiling: null,
  outputFloor: 1_024,
  tokenFactor: 1.1,
  capabilities: {},
  price,
  upcomingPrices: [],
  acceptedAlarms: [],
  routes: [],
};

function listed(...models: Model[]) {
  let nowMs = 0;
  const catalogue = createCatalogue({ nowMs: () => nowMs });
  catalogue.replace(models);
  const listModels = createListModels({ catalogue });
  return { listModels, at: (ms: number) => (nowMs = ms) };
}

test("a price is published to its last digit, and only the parts it has", () => {
  const [found] = listed(model).listModels(null).data;

  expect(found?.pricing).toEqual({
    unit: "credits_per_million_tokens",
    input: 2.5,
    output: 10,
    cache_read: 0.250000001,
  });
});

test("tools that are paid by the call are published with their price per call", () => {
  const searching = { ...model, price: { ...price, toolCallNano: { web_search: 10_000_000n } } };

  expect(listed(searching).listModels(null).data[0]?.pricing).toMatchObject({
    credits_per_tool_call: { web_search: 0.01 },
  });
});

test("a model without a price is public without pricing, and a list says nothing the operator keeps to itself", () => {
  const list = listed({ ...model, price: null, maxOutputTokens: null, outputCeiling: 512 }).listModels(null);

  expect(modelListSchema.parse(list)).toEqual(list);
  expect(list.data).toEqual([
    {
      id: "m",
      object: "model",
      created: 1,
      owned_by: "east",
      provider: "east",
      context_window: null,
      max_output_tokens: null,
      capabilities: {},
    },
  ]);
});

test("the list shows the price of this moment, and a price to come not before its date", () => {
  const { listModels, at } = listed({
    ...model,
    upcomingPrices: [{ ...price, version: 2, inputNano: 3_000_000_000n, effectiveFromMs: 5_000 }],
  });
  const inputNow = () => listModels(null).data[0]?.pricing?.["input"];

  at(4_999);
  expect(inputNow()).toBe(2.5);
  at(5_000);
  expect(inputNow()).toBe(3);
});
