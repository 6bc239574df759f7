import { expect, test } from "vitest";
import { readRange } from "./range.ts";
import { parseSearch, readSearch, stringifySearch } from "../routes/search.ts";

const NOW = Date.UTC(2026, 10, 16, 12, 7, 30);
const iso = (atMs: number) => new Date(atMs).toISOString();

test("a span that ends now has whole steps, so that it asks for the same numbers for a while", () => {
  const { fromMs, toMs } = readRange({ range: "24h" }, NOW);

  expect([iso(fromMs), iso(toMs)]).toEqual(["2026-11-15T12:30:00.000Z", "2026-11-16T12:30:00.000Z"]);
  expect(readRange({ range: "24h" }, NOW + 60_000)).toEqual(readRange({ range: "24h" }, NOW));
});

test.each([{}, { range: "5y" }, { from: "yesterday", to: "today" }, { from: iso(NOW), to: iso(NOW - 1) }])(
  "an address without a span that makes sense means the last 24 hours: %j",
  (search) => {
    expect(readRange(search, NOW)).toEqual(readRange({ range: "24h" }, NOW));
  },
);

test("an address is plain text both ways, and takes nothing it does not know", () => {
  const search = readSearch(parseSearch("?range=7d&model=acme%2Flarge&evil=1&key="));

  expect(search).toEqual({ range: "7d", model: "acme/large" });
  expect(stringifySearch({ ...search, key: undefined })).toBe("?range=7d&model=acme%2Flarge");
});
