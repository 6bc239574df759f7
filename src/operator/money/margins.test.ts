import fc from "fast-check";
import { expect, test } from "vitest";
import type { BookedCost } from "../../catalogue/cost/cost-book.ts";
import { MARGIN_GROUPS } from "../../core/bills/margin-grouping.ts";
import {
  compareDecimals,
  type Decimal,
  difference,
  formatDecimal,
  parseDecimal,
  product,
  sum,
  ZERO,
} from "../../core/money/decimal.ts";
import type { Tariff } from "../../core/money/price.ts";
import type { MarginGroup } from "../../ledger/report/margin-groups.ts";
import { createMargins, cutsOf, type Margin } from "./margins.ts";

const HOUR_MS = 3_600_000;
const cost = (inputNano: bigint, more: Partial<Tariff> = {}): Tariff => ({
  inputNano,
  outputNano: 10n * inputNano,
  toolCallNano: {},
  ...more,
});
const given = (version: number, of: Tariff | null, row: Partial<BookedCost> = {}): BookedCost => ({
  provider: "acme",
  upstreamModel: "large",
  version,
  effectiveFromMs: 0,
  givenAtMs: 0,
  cost: of,
  ...row,
});
const charges = (row: Partial<MarginGroup> = {}): MarginGroup => ({
  day: "2026-11-01",
  model: "large",
  accountId: "a",
  account: "A",
  provider: "acme",
  upstreamModel: "large",
  tier: "default",
  region: "any",
  said: "",
  step: 0,
  era: 1,
  peaks: [],
  inCredits: true,
  requests: 1,
  chargedNano: 5_000_000n,
  refundedNano: 0n,
  counts: { input: 1_000n, output: 100n },
  ...row,
});

const CREDIT: Decimal = { digits: 1n, exponent: 0 };

function read(book: readonly BookedCost[], groups: readonly MarginGroup[], creditUsd = CREDIT) {
  const margins = createMargins({ by: "model", book, cuts: cutsOf(book), creditUsd });
  for (const group of groups) margins.add(group);
  return margins.read();
}

test("a margin is what was charged and not given back, in dollars, less what it cost", () => {
  const two: Decimal = { digits: 2n, exponent: 0 };
  const { total } = read([given(1, cost(1_000_000_000n))], [charges({ refundedNano: 1_000_000n })], two);

  expect(formatDecimal(total.chargedUsd)).toBe("0.008");
  expect(formatDecimal(total.costUsd)).toBe("0.002");
  expect(formatDecimal(total.marginUsd)).toBe("0.006");
});

test("a charge is compared with the cost in force when its request was admitted", () => {
  const book = [
    given(1, cost(1_000_000_000n)),
    given(2, cost(3_000_000_000n), { effectiveFromMs: HOUR_MS, givenAtMs: HOUR_MS }),
  ];

  const { total, costs } = read(book, [charges({ era: 1 }), charges({ era: 2 })]);

  expect(formatDecimal(total.costUsd)).toBe("0.008");
  expect(costs.map(({ version, requests }) => [version, requests])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test("a cost that is given for days that have passed is used for them, and the requests before it are counted", () => {
  const book = [given(1, cost(1_000_000_000n), { givenAtMs: HOUR_MS })];

  const { total } = read(book, [charges({ era: 1, requests: 3 }), charges({ era: 2, requests: 4 })]);

  expect(total).toMatchObject({ requests: 7, requestsBefore: 3 });
});

test("a charge is priced at the step, the tier and the region that it was served at, whatever it was charged as", () => {
  const book = [
    given(
      1,
      cost(1_000_000_000n, {
        when: [
          {
            when: { inputAbove: 500 },
            nano: { inputNano: 2_000_000_000n, outputNano: 2_000_000_000n },
            toolCallNano: {},
            times: null,
            sold: true,
          },
          { when: { tier: "priority" }, nano: {}, toolCallNano: {}, times: 5_000_000_000n, sold: true },
          { when: { hours: "01:00-04:00" }, nano: {}, toolCallNano: {}, times: 3_000_000_000n, sold: true },
        ],
      }),
    ),
  ];
  const only = { counts: { input: 1_000n } };
  const usdOf = (row: Partial<MarginGroup>) => formatDecimal(read(book, [charges({ ...only, ...row })]).total.costUsd);

  expect(usdOf({})).toBe("0.001");
  expect(usdOf({ step: 1 })).toBe("0.002");
  expect(usdOf({ tier: "priority" })).toBe("0.005");
  expect(usdOf({ said: "tier priority" })).toBe("0.005");
  expect(usdOf({ said: "tier unheard-of" })).toBe("0.001");
  expect(usdOf({ peaks: [true] })).toBe("0.003");
  expect(usdOf({ peaks: [true], said: "tier priority" })).toBe("0.015");
  // Neither names a tier or a region.
  expect([usdOf({ said: "no tier" }), usdOf({ said: "model other" })]).toEqual(["0.001", "0.001"]);
});

test.each([
  ["no cost at all", [], {}, null],
  ["a cost of another model", [given(1, cost(1n), { upstreamModel: "small" })], {}, null],
  ["a cost that began later", [given(1, cost(1n))], { era: 0 }, null],
  ["a cost that was taken away", [given(1, cost(1n)), given(2, null)], {}, null],
  ["an upstream model that the journal does not name", [given(1, cost(1n))], { upstreamModel: null }, null],
  [
    "a tool without a price",
    [given(1, cost(1n))],
    { counts: { input: 1n, "tools.web_search": 1n } },
    "tools.web_search",
  ],
  [
    "a tool that is called as something else",
    [given(1, cost(1n))],
    { counts: { "tools.constructor": 1n } },
    "tools.constructor",
  ],
] as const)("with %s a charge is in no margin, and its amount is told apart", (_, book, row, part) => {
  const { total, groups, missing, costs } = read(book, [charges(row)]);

  const apart = { requests: 1, chargedNano: 5_000_000n, refundedNano: 0n };
  const nothing = { requests: 0, chargedNano: 0n, refundedNano: 0n, chargedUsd: ZERO, costUsd: ZERO, marginUsd: ZERO };
  expect(total).toMatchObject({ ...nothing, noCost: apart });
  expect(groups[0]).toMatchObject({ ...nothing, noCost: apart });
  expect(missing).toMatchObject([{ ...apart, part }]);
  expect(costs).toEqual([]);
});

test("what is charged in tokens costs something, and has no margin", () => {
  const { total } = read([given(1, cost(1_000_000_000n))], [charges({ inCredits: false, chargedNano: 0n })]);

  expect(total).toMatchObject({ requests: 0, marginUsd: ZERO, noCost: { requests: 0 }, inTokens: { requests: 1 } });
  expect(formatDecimal(total.inTokens.costUsd)).toBe("0.002");
});

const anyCost = fc.option(
  fc
    .record({ input: fc.bigInt({ min: 0n, max: 10n ** 13n }), hasSearch: fc.boolean() })
    .map(({ input, hasSearch }) => cost(input, { toolCallNano: hasSearch ? { search: 7n } : {} })),
);
const anyBook = fc.array(
  fc.record({ upstreamModel: fc.constantFrom("large", "small"), hour: fc.nat(3), givenHour: fc.nat(3), cost: anyCost }),
  { maxLength: 6 },
);
const anyGroup = fc
  .record({
    day: fc.constantFrom("2026-11-01", "2026-11-02", "2026-11-03"),
    model: fc.constantFrom("large", "other", null),
    accountId: fc.constantFrom("a", "b", null),
    upstreamModel: fc.constantFrom("large", "small", "unknown", null),
    era: fc.nat(4),
    inCredits: fc.boolean(),
    requests: fc.integer({ min: 1, max: 1_000 }),
    charged: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    refunded: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    input: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    searches: fc.bigInt({ min: 0n, max: 2n }),
  })
  .map(({ charged, refunded, input, searches, ...row }) =>
    charges({
      ...row,
      chargedNano: row.inCredits ? charged : 0n,
      refundedNano: row.inCredits ? (refunded < charged ? refunded : charged) : 0n,
      counts: { input, ...(searches > 0n ? { "tools.search": searches } : {}) },
    }),
  );

const total = (rows: readonly Margin[], of: (row: Margin) => Decimal): Decimal => rows.map(of).reduce(sum, ZERO);
const count = (rows: readonly Margin[], of: (row: Margin) => number | bigint): bigint =>
  rows.reduce((all, row) => all + BigInt(of(row)), 0n);

test("margins by model, by account, by day and by provider add up to the same, to the last digit", () => {
  fc.assert(
    fc.property(anyBook, fc.array(anyGroup, { maxLength: 20 }), (rows, groups) => {
      const book = rows.map(({ hour, givenHour, upstreamModel, cost: of }, index) =>
        given(index + 1, of, { upstreamModel, effectiveFromMs: hour * HOUR_MS, givenAtMs: givenHour * HOUR_MS }),
      );
      const cuts = cutsOf(book);
      const within = groups.map((group) => ({ ...group, era: Math.min(group.era, cuts.moments.length) }));
      const all = MARGIN_GROUPS.map((by) => {
        const margins = createMargins({ by, book, cuts, creditUsd: parseDecimal("0.013") ?? ZERO });
        for (const group of within) margins.add(group);
        return margins.read();
      });

      const [one] = all;
      for (const { groups: listed, total: whole } of all) {
        expect(whole).toEqual(one?.total);
        for (const of of [
          (row: Margin) => row.chargedUsd,
          (row: Margin) => row.costUsd,
          (row: Margin) => row.marginUsd,
          (row: Margin) => row.inTokens.costUsd,
        ])
          expect(compareDecimals(total(listed, of), of(whole))).toBe(0);
        for (const of of [
          (row: Margin) => row.requests,
          (row: Margin) => row.chargedNano,
          (row: Margin) => row.refundedNano,
          (row: Margin) => row.requestsBefore,
          (row: Margin) => row.noCost.requests,
          (row: Margin) => row.noCost.chargedNano,
          (row: Margin) => row.noCost.refundedNano,
          (row: Margin) => row.inTokens.requests,
        ])
          expect(count(listed, of)).toBe(BigInt(of(whole)));
      }
      // Every charge is on one side: with a cost, without one, or in tokens.
      const amount = within.reduce((sumNano, { chargedNano }) => sumNano + chargedNano, 0n);
      expect((one?.total.chargedNano ?? 0n) + (one?.total.noCost.chargedNano ?? 0n)).toBe(amount);
      const net = product(
        { digits: (one?.total.chargedNano ?? 0n) - (one?.total.refundedNano ?? 0n), exponent: -9 },
        { digits: 13n, exponent: -3 },
      );
      expect(compareDecimals(difference(net, one?.total.costUsd ?? ZERO), one?.total.marginUsd ?? ZERO)).toBe(0);
    }),
    { numRuns: 300 },
  );
});
