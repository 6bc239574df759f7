import { expect, test } from "vitest";
import type { Tariff, WhenLine } from "../../core/money/price.ts";
import { rowFor, rowsOf, tariffFault } from "../../core/money/rate-rows.ts";
import { readExactJson } from "./read-exact-json.ts";
import { parseFactor, readPriceList, type Selection } from "./read-price-list.ts";
import { readShippedList } from "../shipped-list.ts";

const LIST = readShippedList().text;
const ONE = { digits: 1n, exponent: 0 };
const selection: Selection = {
  vendor: "*",
  match: "*",
  exchange: { markup: ONE, creditUsd: ONE },
  carry: { free: false, dearest: false },
};
const WHOLE = readPriceList(LIST, "list", selection);
const RAW = JSON.parse(LIST) as Record<string, Record<string, unknown>>;

const tariffOf = (id: string): Tariff | undefined => WHOLE.models.find((model) => model.id === id)?.tariff;
const isPlace = ({ when }: WhenLine): boolean => when.tier !== undefined || when.region !== undefined;
const placesOf = (id: string): WhenLine[] => (tariffOf(id)?.when ?? []).filter(isPlace);
const leftOutOf = (id: string) => WHOLE.leftOut.filter((field) => field.id === id).map(({ field }) => field);

const line = { toolCallNano: {}, times: null, sold: true };
/** Dollars per million tokens, in thousandths. */
const nano = (input: number, output: number, cacheRead: number, write?: number) => ({
  inputNano: BigInt(input) * 1_000_000n,
  outputNano: BigInt(output) * 1_000_000n,
  cacheReadNano: BigInt(cacheRead) * 1_000_000n,
  ...(write === undefined ? {} : { cacheWrite5mNano: BigInt(write) * 1_000_000n }),
});

test("gpt-5.4 has two tiers, and neither is sold for the larger input that has no price in them", () => {
  expect(placesOf("gpt-5.4")).toEqual([
    { ...line, when: { tier: "priority" }, nano: nano(5_000, 30_000, 500) },
    { ...line, when: { tier: "priority", inputAbove: 272_000 }, nano: {}, sold: false },
    { ...line, when: { tier: "flex" }, nano: nano(1_250, 7_500, 130) },
    { ...line, when: { tier: "flex", inputAbove: 272_000 }, nano: {}, sold: false },
  ]);
  const rows = rowsOf(tariffOf("gpt-5.4") as Tariff);
  expect(rows.map(({ tier, fromInput }) => `${tier} ${fromInput}`)).toEqual([
    "default 0",
    "default 272001",
    "priority 0",
    "flex 0",
  ]);
});

test("gpt-5.6-sol has a price for larger inputs in flex, and none in priority", () => {
  expect(placesOf("gpt-5.6-sol")).toEqual([
    { ...line, when: { tier: "priority" }, nano: nano(10_000, 60_000, 1_000, 12_500) },
    { ...line, when: { tier: "priority", inputAbove: 272_000 }, nano: {}, sold: false },
    { ...line, when: { tier: "flex" }, nano: nano(2_500, 15_000, 250, 3_125) },
    { ...line, when: { tier: "flex", inputAbove: 272_000 }, nano: nano(5_000, 22_500, 500, 6_250) },
  ]);
});

test.each([
  ["gemini/gemini-3-pro-preview", "inputAbove"],
  ["vertex_ai/gemini-3-pro-preview", "inputFrom"],
])("the step of a tier is on the side of its vendor: %s, %s", (id, side) => {
  expect(placesOf(id)).toEqual([
    { ...line, when: { tier: "priority" }, nano: nano(3_600, 21_600, 360) },
    { ...line, when: { tier: "priority", [side]: 200_000 }, nano: nano(7_200, 32_400, 720) },
  ]);
});

test("speed and region of claude-opus-5 are factors, which multiply each other", () => {
  expect(placesOf("claude-opus-5")).toEqual([
    { ...line, when: { tier: "fast" }, nano: {}, times: 2_000_000_000n },
    { ...line, when: { region: "us" }, nano: {}, times: 1_100_000_000n },
  ]);
  const rows = rowsOf(tariffOf("claude-opus-5") as Tariff);
  expect(rowFor(rows, 1, { tier: "fast", region: "us" }).nano).toMatchObject({
    inputNano: 11_000_000_000n,
    cacheReadNano: 1_100_000_000n,
    outputNano: 55_000_000_000n,
  });
});

test.each([
  ["gpt-5-nano", "input_cost_per_token_priority", "outside of 0.4 to 3 times", ["flex"]],
  ["gemini/gemini-2.5-pro", "input_cost_per_token_priority", "usual price", []],
  ["gpt-5.5-pro", "cache_read_input_token_cost_flex", "missing", []],
  ["claude-opus-4-6", "provider_specific_entry.fast", "outside of 0.4 to 3 times", ["us"]],
])("a price that is no tier is left out by name, and the model stays: %s, %s", (id, field, problem, kept) => {
  expect(tariffOf(id)).toBeDefined();
  expect(WHOLE.leftOut.filter((one) => one.id === id)).toEqual([
    { id, field, problem: expect.stringContaining(problem) as string },
  ]);
  expect(placesOf(id).map(({ when }) => when.tier ?? when.region)).toEqual(kept);
});

const PRICED = `"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06`;
const PRIORITY = `"input_cost_per_token_priority": 2e-06, "output_cost_per_token_priority": 4e-06`;
const ABOVE = `"input_cost_per_token_above_200k_tokens": 2e-06, "output_cost_per_token_above_200k_tokens": 4e-06`;
const read = (fields: string, changes: Partial<Selection> = {}, vendor = "acme") => {
  const limits = `"max_input_tokens": 400000, "max_output_tokens": 9`;
  const text = `{"m": {"mode": "chat", "litellm_provider": "${vendor}", ${limits}, ${PRICED}, ${fields}}}`;
  const { models, leftOut } = readPriceList(text, "p", { ...selection, ...changes });
  return { when: models[0]?.tariff.when, leftOut, models: models.length };
};

test.each([
  [
    "a part of the usual price",
    `"cache_read_input_token_cost": 1e-07, ${PRIORITY}`,
    "cache_read_input_token_cost_priority",
  ],
  ["reasoning", `"output_cost_per_reasoning_token": 4e-06, ${PRIORITY}`, "output_cost_per_reasoning_token_priority"],
  ["output", `"input_cost_per_token_priority": 2e-06`, "output_cost_per_token_priority"],
  [
    "a cheaper input",
    `"input_cost_per_token_priority": 3.9e-07, "output_cost_per_token_priority": 1e-06`,
    "input_cost_per_token_priority",
  ],
  [
    "a dearer output",
    `"input_cost_per_token_priority": 2e-06, "output_cost_per_token_priority": 6.1e-06`,
    "output_cost_per_token_priority",
  ],
  [
    "a number",
    `"input_cost_per_token_priority": "2", "output_cost_per_token_priority": 4e-06`,
    "input_cost_per_token_priority",
  ],
])("a tier is not sold where the list is wrong about %s", (_, fields, field) => {
  const { when, leftOut, models } = read(fields);

  expect({ when, models }).toEqual({ when: undefined, models: 1 });
  expect(leftOut.map((one) => one.field)).toContain(field);
});

test("a tier may be 0.4 to 3 times the usual price, ends included", () => {
  const ends = `"input_cost_per_token_priority": 4e-07, "output_cost_per_token_priority": 6e-06`;

  expect(read(ends)).toMatchObject({ when: [{ when: { tier: "priority" } }], leftOut: [] });
});

test("a part that costs as much as what applies instead of it does so in a tier", () => {
  expect(read(`"cache_read_input_token_cost": 1e-06, ${PRIORITY}`)).toMatchObject({
    when: [{ nano: { inputNano: 2_000_000_000n, cacheReadNano: 2_000_000_000n } }],
    leftOut: [],
  });
});

test("reasoning that costs as much as output in a tier alone is a price of the tier", () => {
  const fields = `"output_cost_per_reasoning_token": 3e-06, ${PRIORITY}, "output_cost_per_reasoning_token_priority": 4e-06`;

  expect(read(fields).when).toMatchObject([
    { nano: { outputNano: 4_000_000_000n, outputReasoningNano: 4_000_000_000n } },
  ]);
});

test.each([
  ["none", "", []],
  [
    "half of them",
    `, "input_cost_per_token_above_200k_tokens_priority": 4e-06`,
    ["output_cost_per_token_above_200k_tokens_priority"],
  ],
  [
    "one out of bounds",
    `, "input_cost_per_token_above_200k_tokens_priority": 7e-06, "output_cost_per_token_above_200k_tokens_priority": 8e-06`,
    ["input_cost_per_token_above_200k_tokens_priority"],
  ],
])("a larger input is not sold in a tier that has of its prices %s", (_, fields, named) => {
  const { when, leftOut } = read(`${ABOVE}, ${PRIORITY}${fields}`);

  expect(when).toMatchObject([
    { when: { inputAbove: 200_000 }, sold: true },
    { when: { tier: "priority" }, sold: true },
    { when: { tier: "priority", inputAbove: 200_000 }, sold: false },
  ]);
  expect(leftOut.map(({ field }) => field)).toEqual(named);
});

test("a step that only the tier has is a line of it", () => {
  const step = `"input_cost_per_token_above_200k_tokens_priority": 3e-06, "output_cost_per_token_above_200k_tokens_priority": 5e-06`;

  expect(read(`${PRIORITY}, ${step}`)).toMatchObject({
    when: [{ when: { tier: "priority" } }, { when: { tier: "priority", inputAbove: 200_000 }, sold: true }],
    leftOut: [],
  });
});

test("where the usual price is not sold, no tier has a line of its own", () => {
  const step = `"input_cost_per_token_above_200k_tokens": 2e-06, "input_cost_per_token_above_200k_tokens_priority": 4e-06`;

  expect(read(`${step}, ${PRIORITY}`).when).toMatchObject([
    { when: { inputAbove: 200_000 }, sold: false },
    { when: { tier: "priority" }, sold: true },
  ]);
});

test("a model that is imported at the price of its dearest tokens has no tier, by name", () => {
  const fields = `"input_cost_per_image_token": 1.5e-06, ${PRIORITY}`;

  expect(read(fields, { carry: { free: false, dearest: true } })).toMatchObject({
    when: undefined,
    leftOut: [{ field: "input_cost_per_token_priority", problem: expect.stringContaining("not sold") as string }],
    models: 1,
  });
});

test("batches, audio and regions that only a route knows are no tiers, and are not named", () => {
  const fields = `"input_cost_per_token_batches": 5e-07, "output_cost_per_token_batches": 1e-06, "input_cost_per_audio_token_priority": 1, "regional_processing_uplift_multiplier_eu": 1.1`;

  expect(read(fields)).toEqual({ when: undefined, leftOut: [], models: 1 });
});

const factors = (text: string, changes: Partial<Selection> = {}, vendor = "anthropic") =>
  read(`"provider_specific_entry": ${text}`, changes, vendor);

test("factors are those of messages, and other members of theirs are none", () => {
  expect(factors(`{"fast": 2.0, "us": 1.1}`, {}, "acme")).toMatchObject({ when: undefined, leftOut: [] });
  expect(factors(`{"schema": "v2", "eu": 1.2}`)).toMatchObject({ when: undefined, leftOut: [] });
  expect(read(PRIORITY, {}, "anthropic")).toMatchObject({ when: undefined, leftOut: [] });
});

test.each(["3.1", "0.39", "-2", "1", "1.0", '"2"', "1.0000000001"])("a factor of %s is left out by name", (factor) => {
  const { when, leftOut } = factors(`{"fast": ${factor}, "us": 1.1}`);

  expect(when).toMatchObject([{ when: { region: "us" } }]);
  expect(leftOut).toMatchObject([{ field: expect.stringContaining("fast") as string }]);
});

test("a factor that makes no whole nano-credit is written out as prices, rounded to the nearest", () => {
  const exchange = { markup: ONE, creditUsd: parseFactor("0.7") ?? ONE };
  const { when, leftOut } = factors(`{"fast": 2.0, "us": 1.1}`, { exchange });

  // 1 and 2 dollars are 1,428,571,429 and 2,857,142,857 nano-credits.
  expect({ when, leftOut }).toMatchObject({
    when: [
      { when: { tier: "fast" }, times: 2_000_000_000n },
      { when: { region: "us" }, nano: { inputNano: 1_571_428_572n, outputNano: 3_142_857_143n }, times: null },
    ],
    leftOut: [],
  });
});

test("what is written out has a line for each size, and for each tier that has prices of its own", () => {
  const exchange = { markup: ONE, creditUsd: parseFactor("0.7") ?? ONE };
  const { when, leftOut } = factors(`{"fast": 1.55, "us": 1.1}, ${ABOVE}`, { exchange });

  expect(leftOut).toEqual([]);
  expect(when?.map((one) => one.when)).toEqual([
    { inputAbove: 200_000 },
    { tier: "fast" },
    { tier: "fast", inputAbove: 200_000 },
    { region: "us" },
    { region: "us", inputAbove: 200_000 },
    { tier: "fast", region: "us" },
    { tier: "fast", region: "us", inputAbove: 200_000 },
  ]);
});

test.each([
  ["1", "1"],
  ["1.2", "1.08"],
  ["1.05", "0.03"],
])("the tariff of every model is a price, at a markup of %s and %s dollars for a credit", (markup, creditUsd) => {
  const exchange = { markup: parseFactor(markup) ?? ONE, creditUsd: parseFactor(creditUsd) ?? ONE };
  const carry = { free: true, dearest: true };
  const { models, leftOut } = readPriceList(LIST, "list", { ...selection, exchange, carry });

  for (const { id, tariff } of models) {
    const times = (RAW[id]?.["provider_specific_entry"] ?? {}) as { us?: number; fast?: number };
    if (tariff.when?.some(({ when }) => when.region === "us") !== true) continue;
    const [plain, us] = ["any", "us"].map((region) => rowFor(rowsOf(tariff), 1, { tier: "default", region }).nano);
    const apart = Number(us?.inputNano) - Number(plain?.inputNano) * (times.us ?? 1);
    expect(Math.abs(apart), id).toBeLessThanOrEqual(0.501);
  }
  expect(leftOut.filter(({ problem }) => problem.includes("whole nano-credit"))).toEqual([]);
  const faults = models.flatMap(({ tariff }) => tariffFault(tariff) ?? []);
  expect({ faults, some: models.some(({ tariff }) => tariff.when?.some(isPlace)) }).toEqual({ faults: [], some: true });
});

test("tiers and regions change no usual price, of any model of the list", () => {
  const usual = readPriceList(withoutPlaces(), "list", selection);

  const withoutLines = WHOLE.models.map(({ tariff: { when, ...tariff }, ...model }) => {
    const lines = when?.filter((one) => !isPlace(one)) ?? [];
    return { ...model, tariff: { ...tariff, ...(lines.length > 0 && { when: lines }) } };
  });
  expect(withoutLines).toEqual(usual.models);
  expect(WHOLE.skipped).toEqual(usual.skipped);
  expect(WHOLE.refused).toEqual(usual.refused);
});

/** The list as it would be if providers sold nothing but the usual tier. */
function withoutPlaces(): string {
  const entries = Object.entries(readExactJson(LIST, "list")).map(([id, entry]) => [
    id,
    Object.fromEntries(
      Object.entries(entry as object).filter(
        ([field]) => !/_(priority|flex)$/.test(field) && field !== "provider_specific_entry",
      ),
    ),
  ]);
  const keep = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && "numberText" in value
      ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(String(value.numberText))
      : value;
  return JSON.stringify(Object.fromEntries(entries), keep);
}

/** By the fields alone, in floats: what an input of this size costs in a tier. */
const LISTED = [
  ["inputNano", "input_cost_per_token"],
  ["outputNano", "output_cost_per_token"],
  ["cacheReadNano", "cache_read_input_token_cost"],
] as const;

test("every tier that is sold costs what its fields say, by size; and every one that is not is named", () => {
  const taken: Record<string, number> = {};
  for (const { id, tariff } of WHOLE.models) {
    const entry = RAW[id] ?? {};
    for (const tier of ["priority", "flex"]) {
      const listed = Object.keys(entry).filter((field) => field.endsWith(`_${tier}`) && !field.includes("audio"));
      const rows = rowsOf(tariff).filter((row) => row.tier === tier);
      expect(rows.length > 0 || leftOutOf(id).some((field) => field.endsWith(`_${tier}`)), `${id} ${tier}`).toBe(
        listed.length > 0,
      );
      for (const row of rows) {
        const above = row.fromInput < 1_000 ? "" : `_above_${Math.floor(row.fromInput / 1_000)}k_tokens`;
        for (const [part, field] of LISTED) {
          if (entry[field] === undefined) continue;
          expect(Number(row.nano[part]) / 1e15, `${id} ${tier} ${field}${above}`).toBeCloseTo(
            Number(entry[`${field}${above}_${tier}`]),
            15,
          );
        }
      }
      const key = `${String(entry["litellm_provider"])} ${tier}`;
      if (rows.length > 0) taken[key] = (taken[key] ?? 0) + 1;
    }
  }
  expect(taken).toEqual({
    "azure priority": 32,
    "azure_ai priority": 10,
    "gemini flex": 3,
    "gemini priority": 8,
    "openai flex": 22,
    "openai priority": 41,
    "vertex_ai flex": 1,
    "vertex_ai priority": 6,
    "vertex_ai-language-models flex": 5,
    "vertex_ai-language-models priority": 9,
  });
});
