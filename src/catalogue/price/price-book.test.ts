import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tariff } from "../../core/money/price.ts";
import type { BookedPrice, DescribedPrice } from "../model.ts";
import { planPrices, priceAt } from "./price-book.ts";

const NOW = 1_000;
const tariff = (inputNano: bigint): Tariff => ({
  inputNano,
  outputNano: 1n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
});
const described = (inputNano: bigint, effectiveFromMs: number | null = null): DescribedPrice => ({
  ...tariff(inputNano),
  effectiveFromMs,
});
const booked = (version: number, inputNano: bigint, effectiveFromMs = 0): BookedPrice => ({
  ...described(inputNano),
  version,
  effectiveFromMs,
  withdrawnAtMs: null,
  suspendedFor: null,
});

const plan = (book: readonly BookedPrice[], ...wanted: DescribedPrice[]) =>
  planPrices("m", { book, described: wanted, nowMs: NOW });
const brief = (prices: readonly { version: number; inputNano: bigint; effectiveFromMs: number }[]): string[] =>
  prices.map(({ version, inputNano, effectiveFromMs }) => `v${version} ${inputNano} from ${effectiveFromMs}`);

test("the first price holds since ever, or since the date it names, or from the date that is to come", () => {
  expect(brief(plan([], described(5n)).add)).toEqual(["v1 5 from 0"]);
  expect(brief(plan([], described(5n, 700)).add)).toEqual(["v1 5 from 700"]);
  expect(brief(plan([], described(5n, 3_000)).add)).toEqual(["v1 5 from 3000"]);
});

test("a price that already holds adds no version, whether its date is missing or has passed", () => {
  expect(plan([booked(1, 5n)], described(5n)).add).toEqual([]);
  expect(plan([booked(1, 4n), booked(2, 5n, 600)], described(5n, 600)).add).toEqual([]);
});

test("another price holds from now on: no price begins in the past of a price that was charged", () => {
  expect(brief(plan([booked(1, 5n)], described(6n)).add)).toEqual(["v2 6 from 1000"]);
  expect(brief(plan([booked(1, 5n)], described(6n, 300)).add)).toEqual(["v2 6 from 1000"]);
});

test("of several described prices whose dates have passed the latest is the price", () => {
  expect(brief(plan([booked(1, 5n)], described(5n), described(7n, 400), described(6n, 300)).add)).toEqual([
    "v2 7 from 1000",
  ]);
});

test("a price to come waits for its date and is not added twice", () => {
  const { add } = plan([booked(1, 5n)], described(5n), described(6n, 3_000), described(7n, 2_000));
  expect(brief(add)).toEqual(["v2 6 from 3000", "v3 7 from 2000"]);

  const book = [booked(1, 5n), booked(2, 6n, 3_000)];
  expect(plan(book, described(5n), described(6n, 3_000))).toEqual({ withdraw: [], add: [], changes: [] });
});

test("a price to come that moved, changed or is described no more is withdrawn", () => {
  const book = [booked(1, 5n), booked(2, 6n, 3_000)];

  const moved = plan(book, described(5n), described(6n, 4_000));
  expect([brief(moved.withdraw), brief(moved.add)]).toEqual([["v2 6 from 3000"], ["v3 6 from 4000"]]);
  const changed = plan(book, described(5n), described(8n, 3_000));
  expect([brief(changed.withdraw), brief(changed.add)]).toEqual([["v2 6 from 3000"], ["v3 8 from 3000"]]);
  const gone = plan(book, described(5n));
  expect([brief(gone.withdraw), brief(gone.add)]).toEqual([["v2 6 from 3000"], []]);
  const now = plan(book, described(6n));
  expect([brief(now.withdraw), brief(now.add)]).toEqual([["v2 6 from 3000"], ["v3 6 from 1000"]]);
});

test("a withdrawn version is neither in force nor reused: its number is spent", () => {
  const book = [booked(1, 5n), { ...booked(2, 6n, 3_000), withdrawnAtMs: 900 }];

  expect(brief(plan(book, described(5n), described(6n, 3_000)).add)).toEqual(["v3 6 from 3000"]);
});

test("another price of a tool is another price", () => {
  const searching = { ...booked(1, 5n), toolCallNano: { web_search: 1n } };

  expect(plan([searching], { ...described(5n), toolCallNano: { web_search: 1n } }).add).toEqual([]);
  for (const toolCallNano of [{}, { web_search: 2n }, { other: 1n }, { web_search: 1n, other: 1n }]) {
    expect(plan([searching], { ...described(5n), toolCallNano }).add).toHaveLength(1);
  }
});

test("a change says what holds before and after its date", () => {
  const { changes } = plan(
    [booked(1, 5n), booked(2, 6n, 3_000)],
    described(4n),
    described(7n, 2_000),
    described(8n, 4_000),
  );

  expect(
    changes.map(({ change, version, effectiveFromMs, before, after }) => [
      change,
      `v${version} from ${effectiveFromMs}: ${before?.inputNano ?? "none"} → ${after?.inputNano ?? "none"}`,
    ]),
  ).toEqual([
    ["withdrawn", "v2 from 3000: 6 → 7"],
    ["changed", "v3 from 1000: 5 → 4"],
    ["changed", "v4 from 2000: 4 → 7"],
    ["changed", "v5 from 4000: 7 → 8"],
  ]);
  expect(plan([], described(5n, 2_000)).changes).toMatchObject([{ change: "added", before: null }]);
});

test("whatever was in the book, it then says what was described at every moment, and a second time adds nothing", () => {
  const amount = fc.bigInt({ min: 0n, max: 3n });
  const dateMs = fc.integer({ min: 0, max: 8 }).map((step) => step * 250);
  const books = fc.array(fc.record({ amount, dateMs, withdrawn: fc.boolean() }), { maxLength: 6 }).map((rows) =>
    rows.map((row, index) => ({
      ...booked(index + 1, row.amount, row.dateMs),
      withdrawnAtMs: row.withdrawn && row.dateMs > NOW ? 1 : null,
    })),
  );
  const schedules = fc.uniqueArray(fc.record({ amount, dateMs: fc.option(dateMs) }), {
    minLength: 1,
    maxLength: 5,
    selector: (row) => row.dateMs,
  });

  fc.assert(
    fc.property(books, schedules, (book, rows) => {
      const wanted = rows.map((row) => described(row.amount, row.dateMs));
      const { withdraw, add } = plan(book, ...wanted);
      const after: BookedPrice[] = [
        ...book.map((price) =>
          withdraw.some(({ version }) => version === price.version) ? { ...price, withdrawnAtMs: NOW } : price,
        ),
        ...add.map((price) => ({ ...price, withdrawnAtMs: null, suspendedFor: null })),
      ];
      const living = after.filter(({ withdrawnAtMs }) => withdrawnAtMs === null);

      for (const atMs of [NOW, 1_250, 1_500, 1_750, 2_000]) {
        const begun = rows.filter((row) => (row.dateMs ?? -1) <= atMs);
        const last = begun.toSorted((one, other) => (other.dateMs ?? -1) - (one.dateMs ?? -1))[0];
        if (last) expect(priceAt(living, atMs)?.inputNano).toBe(last.amount);
      }
      expect(withdraw.every(({ effectiveFromMs }) => effectiveFromMs > NOW)).toBe(true);
      expect(plan(after, ...wanted)).toEqual({ withdraw: [], add: [], changes: [] });
    }),
  );
});
