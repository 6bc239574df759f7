import { expect, test } from "vitest";
import { byWord, OPTIONAL_PARTS } from "../../../../src/core/money/price.ts";
import { changeFrom, draftOf, priceAt, readPrice } from "./price-draft.ts";

const NONE = { ...byWord(OPTIONAL_PARTS, () => null), tools: {} };
const PRICE = { ...NONE, input: "2.5", output: "10", cache_read: "0.25", tools: { web_search: "0.01" } };

test("what is typed is read back as the price it came from, and changes nothing", () => {
  const read = readPrice(draftOf(PRICE));

  expect(read).toEqual({ price: PRICE });
  expect(changeFrom(PRICE, { ...PRICE, input: "2.50" })).toBeNull();
});

test("only parts that differ are sent, and null takes one away", () => {
  expect(changeFrom(PRICE, { ...NONE, input: "2.5", output: "12", tools: { code: "0.1" } })).toEqual({
    output: "12",
    cache_read: null,
    tools: { web_search: null, code: "0.1" },
  });
  expect(changeFrom(null, { ...NONE, input: "1", output: "2" })).toEqual({ input: "1", output: "2" });
});

test("lines are sent where they differ, and none take them away", () => {
  const lines = { ...PRICE, when: [{ input_above: 272_000, times: "2" }] };

  expect(readPrice(draftOf(lines))).toEqual({ price: lines });
  expect(changeFrom(lines, lines)).toBeNull();
  expect(changeFrom(PRICE, lines)).toEqual({ when: lines.when });
  expect(changeFrom(lines, PRICE)).toEqual({ when: [] });
});

test.each([
  ["input", { input: "" }],
  ["output", { output: "1e3" }],
  ["cache_read", { cache_read: "-1" }],
  ["cache_write_1h", { cache_write_1h: "0.0000000001" }],
  ["tools", { tools: "web_search" }],
  ["when", { when: "above 272000" }],
  ["when", { when: "input_above=272000, input=5" }],
])("what is wrong in %s is named", (field, change) => {
  expect(readPrice({ ...draftOf(PRICE), ...change })).toMatchObject({ field });
});

test("the price of a moment is the last that began before it", () => {
  const now = { ...PRICE, version: 1, effective_from: "2026-01-01T00:00:00.000Z" };
  const next = { ...PRICE, version: 2, effective_from: "2027-01-01T00:00:00.000Z" };

  expect(priceAt(now, [next], Date.parse("2026-12-31T23:59:59Z"))?.version).toBe(1);
  expect(priceAt(now, [next], Date.parse("2027-01-01T00:00:00Z"))?.version).toBe(2);
  expect(priceAt(null, [], 0)).toBeNull();
});
