import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../tests/support/recordings.ts";
import { skippedByReason } from "../../core/catalogue/price-list.ts";
import { tariffFault } from "../../core/money/rate-rows.ts";
import { listVendors, parseFactor, readPriceList, type Selection } from "./read-price-list.ts";

const ONE = { digits: 1n, exponent: 0 };
const selection: Selection = {
  vendor: "*",
  match: "*",
  exchange: { markup: ONE, creditUsd: ONE },
  carry: { free: false, dearest: false },
};
const factor = (text: string) => parseFactor(text) ?? ONE;

const entry = (fields: string): string =>
  `"mode": "chat", "litellm_provider": "acme", "max_input_tokens": 1000, "max_output_tokens": 100, ${fields}`;
const PRICED = `"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06`;
const read = (fields: string, changes: Partial<Selection> = {}) =>
  readPriceList(`{"acme/m": {${entry(fields)}}}`, "prices.json", { ...selection, ...changes });
const tariff = (fields: string, changes: Partial<Selection> = {}) => read(fields, changes).models[0]?.tariff;

/** Worked out with pencil and paper: dollars per token, times a million tokens, times a thousand million nano. */
const BY_HAND: [id: string, text: string, expected: Record<string, bigint>][] = [
  [
    "gpt-4o",
    `"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 1.25e-06`,
    { inputNano: 2_500_000_000n, outputNano: 10_000_000_000n, cacheReadNano: 1_250_000_000n },
  ],
  [
    "gpt-4o-mini",
    `"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "cache_read_input_token_cost": 7.5e-08`,
    { inputNano: 150_000_000n, outputNano: 600_000_000n, cacheReadNano: 75_000_000n },
  ],
  [
    "o1-pro",
    `"input_cost_per_token": 0.00015, "output_cost_per_token": 0.0006`,
    { inputNano: 150_000_000_000n, outputNano: 600_000_000_000n },
  ],
  [
    "gpt-5-codex",
    `"input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 1.25e-07`,
    { inputNano: 1_250_000_000n, outputNano: 10_000_000_000n, cacheReadNano: 125_000_000n },
  ],
  [
    "claude-opus-4-1",
    `"input_cost_per_token": 1.5e-05, "output_cost_per_token": 7.5e-05, "cache_read_input_token_cost": 1.5e-06,
     "cache_creation_input_token_cost": 1.875e-05, "cache_creation_input_token_cost_above_1hr": 3e-05`,
    {
      inputNano: 15_000_000_000n,
      outputNano: 75_000_000_000n,
      cacheReadNano: 1_500_000_000n,
      cacheWrite5mNano: 18_750_000_000n,
      cacheWrite1hNano: 30_000_000_000n,
    },
  ],
  [
    "groq/llama-3.3-70b-versatile",
    `"input_cost_per_token": 5.9e-07, "output_cost_per_token": 7.9e-07`,
    { inputNano: 590_000_000n, outputNano: 790_000_000n },
  ],
  [
    "openrouter/deepseek/deepseek-r1",
    `"input_cost_per_token": 5.5e-07, "output_cost_per_token": 2.19e-06, "input_cost_per_token_cache_hit": 1.4e-07`,
    { inputNano: 550_000_000n, outputNano: 2_190_000_000n, cacheReadNano: 140_000_000n },
  ],
  [
    "gemini/gemini-2.5-flash",
    `"input_cost_per_token": 3e-07, "output_cost_per_token": 2.5e-06, "cache_read_input_token_cost": 3e-08`,
    { inputNano: 300_000_000n, outputNano: 2_500_000_000n, cacheReadNano: 30_000_000n },
  ],
  [
    // 150009999.99999998 and 500010000 nano.
    "databricks/databricks-gemma-3-12b",
    `"input_cost_per_token": 1.5000999999999998e-07, "output_cost_per_token": 5.0001e-07`,
    { inputNano: 150_010_000n, outputNano: 500_010_000n },
  ],
  [
    // 300019999.99999996 and 2499980000 nano.
    "databricks/databricks-gemini-2-5-flash",
    `"input_cost_per_token": 3.0001999999999996e-07, "output_cost_per_token": 2.49998e-06`,
    { inputNano: 300_020_000n, outputNano: 2_499_980_000n },
  ],
];

test.each(BY_HAND)("the price of %s is exact to the last nano-credit", (_, text, expected) => {
  expect(tariff(text)).toMatchObject(expected);
});

test("the markup and the worth of a credit are exact too, and all of it is rounded once", () => {
  const text = `"input_cost_per_token": 5.9e-07, "output_cost_per_token": 1e-15`;
  const at = (markup: string, creditUsd: string) =>
    tariff(text, { exchange: { markup: factor(markup), creditUsd: factor(creditUsd) } });

  expect(at("1.2", "1")).toMatchObject({ inputNano: 708_000_000n, outputNano: 1n });
  // 590000000 × 1.05 ÷ 0.03 = 20650000000, and 1 × 1.05 ÷ 0.03 = 35: neither division leaves a rest.
  expect(at("1.05", "0.03")).toMatchObject({ inputNano: 20_650_000_000n, outputNano: 35n });
  // 1 × 1.5 ÷ 0.7 = 2.14…, and 1 × 1.75 ÷ 0.7 = 2.5, which goes up.
  expect(at("1.5", "0.7")).toMatchObject({ outputNano: 2n });
  expect(at("1.75", "0.7")).toMatchObject({ outputNano: 3n });
});

test("a number is read as it is written, with more digits than a float has", () => {
  const text = `"input_cost_per_token": 1.4999999999999999999e-15, "output_cost_per_token": 1.5e-15`;

  expect(tariff(text)).toMatchObject({ inputNano: 1n, outputNano: 2n });
});

test("limits, name and format are carried, and the older limit where the newer is missing", () => {
  expect(read(PRICED).models).toMatchObject([
    { id: "acme/m", upstreamModel: "m", dialect: "chat", contextWindow: 1_000, maxOutputTokens: 100 },
  ]);
  const text = `{"m": {"mode": "responses", "litellm_provider": "acme", "max_tokens": 256000.0, ${PRICED}},
                 "n": {"mode": "chat", "litellm_provider": "anthropic", "max_tokens": 5, ${PRICED}}}`;
  expect(readPriceList(text, "p", selection).models).toMatchObject([
    { id: "m", upstreamModel: "m", dialect: "responses", contextWindow: 256_000, maxOutputTokens: 256_000 },
    { id: "n", dialect: "messages" },
  ]);
});

test("that a model reasons is carried where the list says so, and nothing where it does not", () => {
  expect(read(`${PRICED}, "supports_reasoning": true`).models).toMatchObject([{ reasoning: true }]);
  expect(read(`${PRICED}, "supports_reasoning": false`).models).toMatchObject([{ reasoning: null }]);
  expect(read(PRICED).models).toMatchObject([{ reasoning: null }]);
});

test("a search that costs the same whatever its size is the price of a call of the tool", () => {
  const search = (high: string): string =>
    `${PRICED}, "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_high": ${high}}`;

  expect(tariff(search("0.010"))?.toolCallNano).toEqual({ web_search: 10_000_000n });
  expect(read(search("0.03")).models[0]?.tariff.toolCallNano).toEqual({});
  expect(read(search("0.03")).leftOut).toMatchObject([{ id: "acme/m", field: "search_context_cost_per_query" }]);
  const always = `{"perplexity/sonar": {${entry(search("0.03"))}}}`;
  expect(readPriceList(always, "p", selection).skipped).toEqual([{ id: "perplexity/sonar", reason: "search_by_size" }]);
  expect(tariff(search("0").replace("0.01", "0"))?.toolCallNano).toEqual({});
  const gemini = (unit: string) => readPriceList(`{"gemini/m": {${entry(search("0.01") + unit)}}}`, "p", selection);
  expect(gemini("").models[0]?.tariff.toolCallNano).toEqual({ grounded_prompt: 10_000_000n });
  expect(gemini(', "web_search_billing_unit": "per_query"').models[0]?.tariff.toolCallNano).toEqual({
    web_search: 10_000_000n,
  });
});

test("a cache at a price of 0 is one that nothing is known of: it has no price", () => {
  expect(tariff(`${PRICED}, "cache_read_input_token_cost": 0.0, "cache_creation_input_token_cost": 0`)).toMatchObject({
    cacheReadNano: null,
    cacheWrite5mNano: null,
  });
});

const WRITES = `"cache_creation_input_token_cost"`;
test.each([
  ["a write below input", `${WRITES}: 9e-07`, "cache_creation_input_token_cost", "below the price of input"],
  [
    "an hour below five minutes",
    `${WRITES}: 2e-06, "cache_creation_input_token_cost_above_1hr": 1e-06`,
    "cache_creation_input_token_cost_above_1hr",
    "below the price of five minutes",
  ],
  [
    "an hour at 24 times the input",
    `${WRITES}: 2e-06, "cache_creation_input_token_cost_above_1hr": 2.4e-05`,
    "cache_creation_input_token_cost_above_1hr",
    "more than 4 times",
  ],
])("%s cannot be right, and leaves out that part alone", (_, fields, field, problem) => {
  const { models, leftOut } = read(`${PRICED}, ${fields}`);

  expect(models).toHaveLength(1);
  expect(leftOut).toEqual([{ id: "acme/m", field, problem: expect.stringContaining(problem) as string }]);
});

test("reasoning has a price of its own where it differs, and a model whose whole answers rise with it is left out", () => {
  expect(tariff(`${PRICED}, "output_cost_per_reasoning_token": 4e-06`)).toMatchObject({
    outputNano: 2_000_000_000n,
    outputReasoningNano: 4_000_000_000n,
  });
  expect(tariff(`${PRICED}, "output_cost_per_reasoning_token": 2e-06`)).toMatchObject({ outputReasoningNano: null });
  const whole = `{"m": {${entry(PRICED).replace("acme", "dashscope")}, "output_cost_per_reasoning_token": 4e-06}}`;
  expect(readPriceList(whole, "p", selection).skipped).toEqual([{ id: "m", reason: "several_prices" }]);
});

test.each([
  [`"output_cost_per_token": 2e-06`, "no_price"],
  [`"input_cost_per_token": 0, "output_cost_per_token": 0.0`, "free"],
  [`"input_cost_per_token": 1e-06, "output_cost_per_token": 0`, "free"],
  [`${PRICED}, "input_cost_per_request": 0.005`, "other_units"],
  [`${PRICED}, "some_cost_of_tomorrow": 1`, "other_units"],
  [`${PRICED}, "input_cost_per_image_token": 4e-06`, "several_prices"],
])("what a tariff cannot hold is left out and counted: %s", (fields, reason) => {
  expect(read(fields)).toEqual({
    form: "litellm",
    models: [],
    leftOut: [],
    skipped: [{ id: "acme/m", reason }],
    refused: [],
  });
});

const RISING = `${PRICED}, "input_cost_per_token_above_200k_tokens": 3e-06, "output_cost_per_token_above_200k_tokens": 5e-06`;
const longest = (fields: string, name = "m", vendor = "acme") =>
  readPriceList(
    `{"${name}": {"mode": "chat", "litellm_provider": "${vendor}", "max_input_tokens": 400000, "max_output_tokens": 9, ${fields}}}`,
    "p",
    selection,
  );
const HIGHER = { nano: { inputNano: 3_000_000_000n, outputNano: 5_000_000_000n }, sold: true };

test("a price that rises with the length of the input is a line, if the window reaches so far", () => {
  expect(tariff(RISING)).not.toHaveProperty("when");
  expect(longest(RISING).models[0]?.tariff).toMatchObject({
    inputNano: 1_000_000_000n,
    outputNano: 2_000_000_000n,
    when: [{ when: { inputAbove: 200_000 }, ...HIGHER }],
  });
});

test.each([
  ["m", "openai", "inputAbove"],
  ["gemini/m", "gemini", "inputAbove"],
  ["vertex_ai/m", "vertex_ai-language-models", "inputFrom"],
  ["xai/grok-4", "xai", "inputFrom"],
  ["openrouter/x-ai/grok-4", "openrouter", "inputFrom"],
])("the side of a step is that of the vendor: %s of %s, %s", (name, vendor, side) => {
  expect(longest(RISING, name, vendor).models[0]?.tariff.when).toMatchObject([{ when: { [side]: 200_000 } }]);
});

test("a line without one of the prices is not sold, by name; the model is", () => {
  const { models, leftOut } = longest(`${RISING}, ${WRITES}: 2e-06`);

  expect(models[0]?.tariff.when).toMatchObject([{ when: { inputAbove: 200_000 }, nano: {}, sold: false }]);
  expect(leftOut).toEqual([
    {
      id: "m",
      field: "cache_creation_input_token_cost_above_200k_tokens",
      problem: "is missing, so that such an input is not sold",
    },
  ]);
});

test.each([
  [`"cache_read_input_token_cost": -1e-07`, "cache_read_input_token_cost", "below zero"],
  [`"cache_creation_input_token_cost": 5`, "cache_creation_input_token_cost", "out of all proportion"],
  [`"output_cost_per_reasoning_token": 1e-30`, "output_cost_per_reasoning_token", "too little to be charged"],
  [`"search_context_cost_per_query": {"search_context_size_low": 999}`, "search_context_size_low", "proportion"],
])("a number that cannot be right leaves out its part: %s", (field, name, problem) => {
  const { models, leftOut } = read(`${PRICED}, ${field}`);

  expect(models).toEqual(read(PRICED).models);
  expect(leftOut).toEqual([{ id: "acme/m", field: name, problem: expect.stringContaining(problem) as string }]);
});

test.each(["-3e-06", "5", "1e-30", '"3e-06"'])("a number that cannot be right leaves out its line: %s", (price) => {
  const field = "input_cost_per_token_above_200k_tokens";
  const { models, leftOut } = longest(`${PRICED}, "${field}": ${price}, ${RISING.split(", ").at(-1)}`);

  expect(models[0]?.tariff).toMatchObject({
    inputNano: 1_000_000_000n,
    when: [{ when: { inputAbove: 200_000 }, nano: {}, sold: false }],
  });
  expect(leftOut[0]).toMatchObject({ id: "m", field });
});

test("a line without a price of cached input charges it as input, as a list without one does", () => {
  const { models, leftOut } = longest(`${RISING}, "cache_read_input_token_cost": 1e-07`);

  expect(models[0]?.tariff.when).toMatchObject([{ nano: { cacheReadNano: 3_000_000_000n }, sold: true }]);
  expect(leftOut).toMatchObject([{ field: "cache_read_input_token_cost_above_200k_tokens" }]);
});

test("a price of a picture that repeats its tokens is none; any other is a unit that we do not count", () => {
  const pictures = `${PRICED}, "input_cost_per_image": 0.0048`;

  expect(longest(pictures, "openrouter/anthropic/claude-sonnet-4.5").models).toHaveLength(1);
  expect(longest(pictures).skipped).toEqual([{ id: "m", reason: "other_units" }]);
});

test("a part that has a price above a step only has none", () => {
  const read = longest(`${RISING}, "cache_creation_input_token_cost_above_200k_tokens": 4e-06`);

  expect(read.models[0]?.tariff).toMatchObject({ cacheWrite5mNano: null, when: [HIGHER] });
});

const tier = (range: string, input: string) =>
  `{"range": ${range}, "input_cost_per_token": ${input}, "output_cost_per_token": 5e-06}`;

test("prices by length in place of a price are its base and its lines", () => {
  const { models } = longest(`"tiered_pricing": [${tier("[0, 32000.0]", "1e-06")}, ${tier("[32000, 1e6]", "3e-06")}]`);

  expect(models[0]?.tariff).toMatchObject({
    inputNano: 1_000_000_000n,
    when: [{ when: { inputAbove: 32_000 }, ...HIGHER }],
  });
});

test.each([["[1, 2]"], ["[0, 32000]"], ["null"]])("ranges that leave a gap are refused by name: %s", (range) => {
  const { refused } = longest(`"tiered_pricing": [${tier("[0, 31000]", "1e-06")}, ${tier(range, "3e-06")}]`);

  expect(refused).toMatchObject([{ id: "m", field: "tiered_pricing" }]);
});

test("prices that callers here cannot run into do not matter", () => {
  const fields = `${PRICED}, "input_cost_per_audio_token": 1, "input_cost_per_token_priority": 9e-06, "output_cost_per_image": 0`;

  expect(read(fields).models).toHaveLength(1);
});

test.each([
  [`"input_cost_per_token": -1e-06, "output_cost_per_token": 1e-06`, "input_cost_per_token", "below zero"],
  [`"input_cost_per_token": 0.0011, "output_cost_per_token": 1e-06`, "input_cost_per_token", "proportion"],
  [`"input_cost_per_token": 1e300, "output_cost_per_token": 1e-06`, "input_cost_per_token", "no number"],
  [`"input_cost_per_token": "1e-06", "output_cost_per_token": 1e-06`, "input_cost_per_token", "no number"],
  [`"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-30`, "output_cost_per_token", "too little"],
  [`${PRICED}, "max_tokens": 1.5, "max_output_tokens": null`, "max_tokens", "no limit of tokens"],
])("a number that cannot be right is refused by name: %s", (fields, field, problem) => {
  const text = `{"acme/m": {"mode": "chat", "max_input_tokens": 9, ${fields.includes("max") ? "" : `"max_output_tokens": 9, `}${fields}}}`;

  expect(readPriceList(text, "p", selection)).toEqual({
    form: "litellm",
    models: [],
    leftOut: [],
    skipped: [],
    refused: [{ id: "acme/m", field, problem: expect.stringContaining(problem) as string }],
  });
});

test.each([
  [`{"m": {}, "n": {}, "m": {}}`, "prices.json:1:20: m is given twice; keep one."],
  [`{"m": {"mode": "chat", "\\u006dode": "chat"}}`, "m.mode is given twice; keep one."],
  [`{"m": `, "the JSON ends too early; is the file complete?"],
  [`[]`, "the file must contain a JSON object."],
  [`{"m": ${"[".repeat(40)}`, "nested more than 16 levels deep."],
])("a file that cannot be read with certainty is refused whole: %s", (text, problem) => {
  expect(() => readPriceList(text, "prices.json", selection)).toThrow(problem);
});

test("a name in the file cannot command the terminal on which it is refused", () => {
  const text = `{"\\u001b[2Jm": {}, "\\u001b[2Jm": {}}`;

  expect(() => readPriceList(text, "p", selection)).toThrow("�[2Jm is given twice");
});

test("a name may be that of an object's own parts", () => {
  const text = `{"__proto__": {${entry(PRICED)}}, "constructor": {"mode": "toString"}}`;

  expect(readPriceList(text, "p", selection)).toMatchObject({
    models: [{ id: "__proto__" }],
    skipped: [{ id: "constructor", reason: "other_mode" }],
  });
});

const file = join(sharedFolder() ?? "", "data/litellm-model-prices.json");

test.skipIf(!existsSync(file))(
  "the whole file is read: every entry is carried, left out for a reason, or named",
  () => {
    const text = readFileSync(file, "utf8");
    const { models, leftOut, skipped, refused } = readPriceList(text, file, selection);
    const prices = new Map(models.map(({ id, tariff: listed }) => [id, listed]));

    for (const [id, , expected] of BY_HAND) expect(prices.get(id), id).toMatchObject(expected);
    const counts = Object.fromEntries(skippedByReason(skipped).map(({ reason, ids }) => [reason, ids.length]));
    expect({ carried: models.length, skipped: counts, refused: refused.length }).toEqual({
      carried: 2_122,
      skipped: {
        other_mode: 490,
        no_price: 129,
        several_prices: 5,
        free: 86,
        other_units: 9,
        other_wire: 42,
        no_output_limit: 73,
        search_by_size: 6,
      },
      refused: 26,
    });
    const named = [...models, ...skipped, ...refused].map(({ id }) => id);
    expect(named.toSorted()).toEqual(Object.keys(JSON.parse(text) as object).toSorted());
    expect(models.filter(({ tariff: listed }) => tariffFault(listed) !== null)).toEqual([]);
    expect(leftOut).toHaveLength(36);
    // Replicate's have no limit of output.
    const newest = /gpt-5\.[4-9]|gpt-6|gemini-[\w.]*-?pro|grok-4|claude/;
    const missing = Object.entries(JSON.parse(text) as Record<string, Record<string, unknown>>)
      .filter(
        ([, { mode, input_cost_per_token: price }]) => (mode === "chat" || mode === "responses") && Number(price) > 0,
      )
      .filter(([id, { max_output_tokens: limit }]) => newest.test(id) && limit !== undefined && !prices.has(id));
    expect(missing).toEqual([]);
    expect(refused).toContainEqual({
      id: "wandb/openai/gpt-oss-120b",
      field: "input_cost_per_token",
      problem: "0.015 dollars is out of all proportion",
    });
    expect(listVendors(text, file)).toContain("groq");
  },
);

test("a model of embeddings has a price of its input and no limit of output; those of another wire are left out", () => {
  const embedding = (vendor: string, fields: string): string =>
    `{"acme/m": {"mode": "embedding", "litellm_provider": "${vendor}", "max_input_tokens": 8191, ${fields}}}`;
  const readOne = (vendor: string, fields = `"input_cost_per_token": 2e-08, "output_cost_per_token": 0`) =>
    readPriceList(embedding(vendor, fields), "prices.json", selection);

  expect(readOne("acme").models).toMatchObject([
    {
      dialect: "embeddings",
      contextWindow: 8_191,
      maxOutputTokens: null,
      tariff: { inputNano: 20_000_000n, outputNano: 0n },
    },
  ]);
  expect(readOne("acme", `"input_cost_per_token": 2e-08`).models).toHaveLength(1);
  expect(readOne("bedrock").skipped).toMatchObject([{ reason: "other_wire" }]);
  expect(readOne("acme", `"input_cost_per_token": 0`).skipped).toMatchObject([{ reason: "free" }]);
  expect(readOne("acme", `"input_cost_per_token": 2e-08, "input_cost_per_image": 0.01`).skipped).toMatchObject([
    { reason: "other_units" },
  ]);
});
