import { byWord, OPTIONAL_PARTS } from "../../../core/money/price.ts";
import { expect, test } from "vitest";
import type { Tariff } from "../../../core/money/price.ts";
import { catalogueChange } from "../../../contract/catalogue-changes.ts";
import { written } from "../../../wire/validate.ts";
import { changeListing, priceBookListing, priceBookView } from "./price-text.ts";

const NOW = Date.parse("2026-11-15T00:00:00Z");
const LATER = Date.parse("2090-01-01T00:00:00Z");
const cheap: Tariff = {
  inputNano: 2_250_000_000n,
  outputNano: 10_000_000_000n,
  cacheReadNano: 1n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const dear: Tariff = {
  ...cheap,
  inputNano: 3n * 10n ** 9n,
  cacheReadNano: null,
  toolCallNano: { search: 10_000_000n },
};
const change = { kind: "price", name: "large", effectiveFromMs: LATER } as const;

const linesOf = (listing: string): string[] => listing.split("\n").slice(1);

test("a changed price is told as old → new with its date, and only where it differs", () => {
  const [line] = linesOf(changeListing([{ ...change, change: "changed", version: 2, before: cheap, after: dear }]));

  expect(line).toBe(
    "changed  price  large  input 2.25 → 3, cache_read 0.000000001 → none, tools.search none → 0.01 (version 2, from 2090-01-01T00:00:00.000Z)",
  );
});

test("a first price is told whole, and one that is taken back with what holds instead", () => {
  const lines = linesOf(
    changeListing([
      { ...change, change: "added", version: 1, effectiveFromMs: 0, before: null, after: dear },
      { ...change, change: "withdrawn", version: 3, before: { ...cheap, inputNano: 5n * 10n ** 9n }, after: cheap },
      { kind: "provider", name: "acme", change: "changed" },
    ]),
  );

  expect(lines).toEqual([
    "added      price     large  input 3, output 10, tools.search 0.01 (version 1, from the beginning)",
    "withdrawn  price     large  input 5 → 2.25 (version 3, from 2090-01-01T00:00:00.000Z)",
    "changed    provider  acme",
  ]);
  expect(changeListing([])).toBe("Nothing to change.");
});

test("as data, amounts are exact decimals in the words of the catalogue file", () => {
  expect(written(catalogueChange, { ...change, change: "added", version: 1, before: null, after: dear })).toEqual({
    kind: "price",
    name: "large",
    change: "added",
    version: 1,
    effective_from: "2090-01-01T00:00:00.000Z",
    before: null,
    after: {
      input: "3",
      output: "10",
      ...byWord(OPTIONAL_PARTS, () => null),
      tools: { search: "0.01" },
    },
  });
});

test("the book says of every version whether it is past, in force, to come or withdrawn", () => {
  const book = [
    { ...cheap, version: 1, effectiveFromMs: 0, withdrawnAtMs: null, suspendedFor: null },
    { ...cheap, version: 2, effectiveFromMs: NOW, withdrawnAtMs: null, suspendedFor: null },
    { ...dear, version: 3, effectiveFromMs: NOW, withdrawnAtMs: null, suspendedFor: null },
    { ...dear, version: 4, effectiveFromMs: LATER, withdrawnAtMs: NOW, suspendedFor: null },
    { ...cheap, version: 5, effectiveFromMs: LATER, withdrawnAtMs: null, suspendedFor: null },
  ];

  expect(priceBookView(book, NOW).map((row) => (row as { state: string }).state)).toEqual([
    "past",
    "past",
    "in force",
    "withdrawn",
    "to come",
  ]);
  expect(linesOf(priceBookListing(book, NOW))[2]).toBe(
    "3        in force   2026-11-15T00:00:00.000Z  input 3, output 10, tools.search 0.01",
  );
  expect(priceBookListing([], NOW)).toContain("No price yet");
});

test("a price in force that lacks a part is suspended, and the book names the part", () => {
  const lacking = { ...cheap, version: 1, effectiveFromMs: 0, withdrawnAtMs: null, suspendedFor: "tools.search" };

  expect(linesOf(priceBookListing([lacking], NOW))[0]).toMatch(
    /^1 +suspended .*; used without a price: tools\.search$/,
  );
  expect(priceBookView([lacking], NOW)).toMatchObject([{ state: "suspended", suspended_for: "tools.search" }]);
});
