import { expect, test } from "vitest";
import { byPart, OPTIONAL_PARTS, type Tariff } from "../../core/money/price.ts";
import { description } from "./description.ts";
import { describedPriceIn, EXACT, tariffOf, tariffPartsOf, tariffPartsView, tariffView } from "./price.ts";

const tariff: Tariff = {
  ...byPart(OPTIONAL_PARTS, () => null),
  inputNano: 2_716_049_358n,
  outputNano: 0n,
  outputReasoningNano: 7n,
  cacheReadNano: null,
  cacheWrite5mNano: 999_999_999_999_999_999n,
  cacheWrite1hNano: 1n,
  toolCallNano: { web_search: 10_000_000n },
};

test("a tariff survives being written as decimals, to the last nano", () => {
  const view = tariffView(tariff);

  expect(view).toMatchObject({ input: "2.716049358", cache_write_5m: "999999999.999999999", cache_read: null });
  expect(tariffOf(view)).toEqual(tariff);
});

test("of some parts only these are written, and a part that is taken away stays taken away", () => {
  const { inputNano: _, ...rest } = tariff;
  const parts = { ...rest, toolCallNano: { web_search: null, code: 5n } };

  expect(tariffPartsView({ cacheReadNano: null })).toEqual({ cache_read: null });
  expect(tariffPartsView({ inputNano: 1n })).toEqual({ input: "0.000000001" });
  expect(tariffPartsOf(tariffPartsView(parts))).toEqual(parts);
});

const stepped: Tariff = {
  ...tariff,
  when: [
    { when: { inputAbove: 200_000 }, nano: {}, toolCallNano: {}, times: 1_500_000_000n, sold: true },
    { when: { inputFrom: 900_001 }, nano: {}, toolCallNano: { web_search: 0n }, times: null, sold: true },
    { when: { inputAbove: 1_000_000 }, nano: {}, toolCallNano: {}, times: null, sold: false },
  ],
};

test("lines survive the same way, and a price without lines says nothing of them", () => {
  const view = tariffView(stepped);

  expect(view.when).toEqual([
    { input_above: 200_000, times: "1.5" },
    { input_from: 900_001, tools: { web_search: "0" } },
    { input_above: 1_000_000, sold: false },
  ]);
  expect(tariffOf(view)).toEqual(stepped);
  expect("when" in tariffView(tariff)).toBe(false);
  expect(tariffPartsOf(tariffPartsView(stepped))).toEqual(stepped);
});

const price = describedPriceIn(EXACT);
const fresh = { input: "1", output: "4", cache_read: "0.1" };

test.each([
  [
    { input_above: 9, input: "2", output: "6" },
    "{ input_above: 9 } has no cache_read: a line with prices has all that the base has",
  ],
  [{ input_above: 9, input: "2" }, "{ input_above: 9 } has no output, cache_read"],
  [{ input_above: 9 }, "{ input_above: 9 } changes nothing"],
  [{ times: "2" }, "a line of `when` needs a condition"],
  [{ input_above: 9, times: "1.1", sold: false }, "has more than one of prices, times and sold: false"],
  [{ input_above: 9, input_from: 9, times: "1.1" }, "has both sides of a step"],
])("a line that leaves a gap is refused by name: %j", (line, words) => {
  const read = price.safeDecode({ ...fresh, when: [line] });

  expect(read.error?.issues).toMatchObject([{ path: ["when"], message: expect.stringContaining(words) }]);
});

test.each([
  ["a tier that is no name", { tier: "Flex tier", times: "0.5" }, ["when", 0, "tier"]],
  ["a factor of nothing", { input_above: 9, times: "0" }, ["when", 0, "times"]],
  ["what is sold anyway", { input_above: 9, sold: true }, ["when", 0, "sold"]],
  ["a size that is none", { input_above: 0.5, times: "2" }, ["when", 0, "input_above"]],
  ["a price in words", { input_above: 9, input: "dear" }, ["when", 0, "input"]],
])("a line with %s is refused where it stands", (_, line, path) => {
  const read = price.safeDecode({ ...fresh, when: [line] });

  expect(read.error?.issues.map((issue) => issue.path)).toContainEqual(path);
});

const described = (route: object, changes: object = {}) =>
  description.safeDecode({
    models: [
      {
        id: "m",
        provider: "acme",
        price: { input: "0.02" },
        routes: [{ provider: "acme", upstream_model: "m-1", ...route }],
        ...changes,
      },
    ],
  });

test("a price needs an output unless the model makes embeddings, whose output is free", () => {
  const embedding = { format: "embeddings" };

  expect(described(embedding).data?.models[0]?.price).toMatchObject({ inputNano: 20_000_000n, outputNano: 0n });
  expect(described({ format: "chat" }).error?.issues).toMatchObject([{ path: ["models", 0, "price", "output"] }]);
  expect(described({ format: "chat" }, { price: { input: "0.02", output: "0" } }).success).toBe(true);
  expect(
    described(
      { format: "chat" },
      { price: null, upcoming_prices: [{ effective_from: "2090-01-01T00:00:00Z", input: "1" }] },
    ).error?.issues,
  ).toMatchObject([{ path: ["models", 0, "upcoming_prices", 0, "output"] }]);
  expect(
    described({ format: "chat", cost: { input: "1" } }, { price: { input: "1", output: "1" } }).error?.issues,
  ).toMatchObject([{ path: ["models", 0, "routes", 0, "cost", "output"] }]);
});

test("all routes of a model are of one kind", () => {
  const routes = ["embeddings", "chat"].map((format) => ({ provider: "acme", upstream_model: "m-1", format }));

  expect(described({ format: "chat" }, { price: null, routes }).error?.issues).toMatchObject([
    { path: ["models", 0, "routes"] },
  ]);
});
