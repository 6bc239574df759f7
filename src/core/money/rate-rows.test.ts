import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billedMore, chargeOf, creditRate, rateIn, roundedUp, servedOtherwise, TOKEN_RATE } from "./pay-rate.ts";
import { type Tariff, type When, type WhenLine, TARIFF_PARTS } from "./price.ts";
import { isPeak, largestSold, rowsOf, tariffFault, tiersSold } from "./rate-rows.ts";
import { NO_USAGE, type SaidServed, type Usage } from "./usage.ts";

const NANO = 1_000_000_000n;
const nano = (credits: number): bigint => BigInt(Math.round(credits * 1e9));
type Prices = { input: number; output: number; read: number; write: number };
const partsOf = ({ input, output, read, write }: Prices) => ({
  inputNano: nano(input),
  outputNano: nano(output),
  cacheReadNano: nano(read),
  cacheWrite5mNano: nano(write),
});
const line = (when: When, change: Prices | number | "not sold"): WhenLine => ({
  when,
  nano: typeof change === "object" ? partsOf(change) : {},
  toolCallNano: {},
  times: typeof change === "number" ? nano(change) : null,
  sold: change !== "not sold",
});

/** As OpenAI publishes GPT-5.6. */
const base = { ...partsOf({ input: 4, output: 20, read: 0.4, write: 5 }), toolCallNano: { web_search: nano(0.01) } };
const long = line({ inputAbove: 272_000 }, { input: 8, output: 30, read: 0.8, write: 10 });
const flex = line({ tier: "flex" }, { input: 2, output: 10, read: 0.2, write: 2.5 });
const flexLong = line({ tier: "flex", inputAbove: 272_000 }, { input: 4, output: 15, read: 0.4, write: 5 });
const europe = line({ region: "eu" }, 1.1);
const priced = (...when: WhenLine[]): Tariff => ({ ...base, when });

describe("the rows of a price", () => {
  test("are one for each size, tier and region that a line names, as its provider prints them", () => {
    const rows = rowsOf(priced(long, flex, flexLong, europe)).map(({ tier, region, fromInput, nano: row }) => [
      tier,
      region,
      fromInput,
      row.inputNano,
      row.cacheReadNano,
    ]);

    expect(rows).toEqual([
      ["default", "any", 0, 4n * NANO, nano(0.4)],
      ["default", "any", 272_001, 8n * NANO, nano(0.8)],
      ["default", "eu", 0, nano(4.4), nano(0.44)],
      ["default", "eu", 272_001, nano(8.8), nano(0.88)],
      ["flex", "any", 0, 2n * NANO, nano(0.2)],
      ["flex", "any", 272_001, 4n * NANO, nano(0.4)],
      ["flex", "eu", 0, nano(2.2), nano(0.22)],
      ["flex", "eu", 272_001, nano(4.4), nano(0.44)],
    ]);
  });

  test("keep the prices of tools, unless a line names them", () => {
    const dearer: WhenLine = {
      when: { inputAbove: 9 },
      nano: {},
      toolCallNano: { web_search: 5n },
      times: null,
      sold: true,
    };
    const used = { ...NO_USAGE, toolCalls: { web_search: 2 } };

    expect(chargeOf(priced(line({ inputAbove: 9 }, 2)), { ...used, inputTokens: 10 })).toBe(80_000n + 2n * nano(0.01));
    expect(chargeOf(priced(dearer), { ...used, inputTokens: 9 })).toBe(36_000n + 2n * nano(0.01));
    expect(chargeOf(priced(dearer), { ...used, inputTokens: 10 })).toBe(40_000n + 10n);
  });

  test("are one alone without lines", () => {
    expect(rowsOf(priced())).toHaveLength(1);
    expect(rowsOf(base)).toMatchObject([{ fromInput: 0, tier: "default", region: "any" }]);
  });

  test("a step switches the whole request, cached input included, at its own side of the number", () => {
    const from = line({ inputFrom: 272_000 }, { input: 8, output: 30, read: 0.8, write: 10 });
    const costAt = (step: WhenLine, inputTokens: number): bigint =>
      chargeOf(priced(step), { ...NO_USAGE, inputTokens, cacheReadTokens: 100_000, outputTokens: 1_000 });
    const short = 171_999n * 4_000n + 100_000n * 400n + 20_000_000n;

    expect(costAt(long, 271_999)).toBe(short);
    expect(costAt(long, 272_000)).toBe(short + 4_000n);
    expect(costAt(long, 272_001)).toBe(172_001n * 8_000n + 100_000n * 800n + 30_000_000n);
    expect(costAt(from, 271_999)).toBe(short);
    expect(costAt(from, 272_000)).toBe(172_000n * 8_000n + 100_000n * 800n + 30_000_000n);
  });

  test("what is not sold has no row, and an input beyond it is charged at the largest that is", () => {
    const short = priced(line({ inputAbove: 272_000 }, "not sold"));

    expect(rowsOf(short)).toMatchObject([{ fromInput: 0, toInput: 272_000 }]);
    expect(largestSold(short)).toBe(272_000);
    expect(largestSold(priced(long))).toBeNull();
    expect(chargeOf(short, { ...NO_USAGE, inputTokens: 300_000 })).toBe(300_000n * 4_000n);
  });
});

describe("a price with a gap is refused, in words that name the line that is missing", () => {
  test.each<[string, WhenLine[]]>([
    [
      "there is no price where { input_above: 272000 } and { tier: flex } both hold: add a line { tier: flex, input_above: 272000 } with its prices, or with sold: false",
      [long, flex],
    ],
    [
      "there is no price where { tier: flex } and { input_above: 272000 } both hold: add a line { tier: flex, input_above: 272000 } with its prices, or with sold: false",
      [flex, long],
    ],
    ["{ tier: flex, input_above: 272000 } never holds: put it below { tier: flex }", [long, flexLong, flex]],
    [
      "there is no price for { tier: flex } alone: add a line with its prices, or with times, or with sold: false",
      [line({ tier: "flex", region: "eu" }, 2), europe],
    ],
    [
      "there is no price for { region: eu } alone: add a line with its prices, or with times, or with sold: false",
      [flex, line({ tier: "flex", region: "eu" }, 2)],
    ],
    ["{ tier: flex } is there twice", [flex, flex]],
    [
      '{ hours: "03:00-05:00" } and { hours: "01:00-04:00" } name different hours: a price has one kind of them',
      [line({ hours: "01:00-04:00" }, 2), line({ hours: "03:00-05:00" }, 2)],
    ],
    ['{ hours: "at night" } has hours that are none, such as mon-fri 01:00-04:00', [line({ hours: "at night" }, 2)]],
    [
      '{ hours: "01:00-04:00" } is sold at other hours: give it prices or times',
      [line({ hours: "01:00-04:00" }, "not sold")],
    ],
    [
      'there is no price where { tier: flex } and { hours: "01:00-04:00" } both hold: add a line { tier: flex, hours: "01:00-04:00" } with its prices',
      [flex, line({ hours: "01:00-04:00" }, { input: 9, output: 9, read: 9, write: 9 })],
    ],
    ["{ tier: default } names what holds without a line: leave out the tier", [line({ tier: "default" }, 2)]],
    ["{ region: any } names what holds without a line: leave out the region", [line({ region: "any" }, 2)]],
    ["a line of `when` needs a condition, such as input_above", [line({}, 2)]],
    ["{ tier: flex } changes nothing", [{ ...line({ tier: "flex" }, 1), times: null }]],
    ["{ tier: flex } has more than one of prices, times and sold: false", [{ ...flex, times: nano(2) }]],
    [
      "{ tier: flex } has no cache_read: a line with prices has all that the base has",
      [{ ...flex, nano: { inputNano: 1n, outputNano: 1n, cacheWrite5mNano: 1n } }],
    ],
    [
      "{ input_above: 1, input_from: 1 } has both sides of a step: input_above is more than that number, input_from is that number or more",
      [line({ inputAbove: 1, inputFrom: 1 }, 2)],
    ],
    [
      "{ tier: flex, input_above: 272000 } has prices, and { tier: flex } multiplies them: leave out one of the two",
      [line({ tier: "flex" }, 0.5), long, flexLong],
    ],
    [
      "cache_read times what its lines say is no whole nano-credit: write the price out",
      [line({ region: "eu" }, 1.000000001)],
    ],
    [
      "its lines make 66 rows, and 64 is the most",
      Array.from({ length: 65 }, (_, at) => line({ inputAbove: at + 1 }, 2)),
    ],
  ])("%s", (fault, lines) => {
    expect(tariffFault(priced(...lines))).toBe(fault);
  });

  test("a row that is not sold is no gap", () => {
    const notLong = line({ tier: "flex", inputAbove: 272_000 }, "not sold");

    expect(tariffFault(priced(long, flex, notLong))).toBeNull();
    expect(rowsOf(priced(long, flex, notLong))).toHaveLength(3);
  });

  test("a price of which nothing is sold plainly is none", () => {
    expect(tariffFault(priced(line({ inputFrom: 0 }, "not sold")))).toBe(
      "nothing is sold to those who ask for no tier and no region",
    );
  });
});

describe("what an answer says that it was served as decides", () => {
  const tariff = priced(line({ tier: "flex" }, 0.5), line({ tier: "priority" }, 2), europe);
  const used = { ...NO_USAGE, inputTokens: 1_000_000 };
  const plain = 4n * NANO;

  test.each<[what: string, asked: string, said: SaidServed, charge: bigint, otherwise: string | null]>([
    ["nothing is said", "default", {}, plain, null],
    ["nothing is said of what was asked for", "priority", {}, plain * 2n, null],
    ["what was asked for", "flex", { tier: "flex" }, plain / 2n, null],
    ["a downgrade", "priority", { tier: "default" }, plain, null],
    ["a cheaper tier was not to be had", "flex", { tier: "default" }, plain, null],
    ["a cheaper tier than was asked for", "default", { tier: "flex" }, plain / 2n, null],
    ["a dearer tier than was asked for", "default", { tier: "priority" }, plain, "tier priority"],
    ["a dearer tier than the cheaper one", "flex", { tier: "priority" }, plain / 2n, "tier priority"],
    ["a tier without a line", "priority", { tier: "ultrafast" }, plain * 2n, "tier ultrafast"],
    ["a region with a line", "default", { region: "eu" }, (plain * 11n) / 10n, null],
    ["a region with a line, and a tier", "flex", { tier: "flex", region: "eu" }, (plain * 11n) / 20n, null],
    ["a region without a line", "flex", { tier: "flex", region: "us" }, plain / 2n, "region us"],
  ])("%s", (_, asked, said, charge, otherwise) => {
    const rate = creditRate(tariff, asked);
    const usage = { ...used, served: said };

    expect(rate.costOf(usage)).toBe(charge);
    expect(servedOtherwise(usage, rate.servedAs(usage))).toBe(otherwise);
  });

  test("a price without lines is charged as ever, and what else was served is told", () => {
    const usage = { ...used, served: { tier: "priority" } };
    const rate = creditRate(base);

    expect(rate.costOf(usage)).toBe(plain);
    expect(servedOtherwise(usage, rate.servedAs(usage))).toBe("tier priority");
  });

  test.each([
    ["the model that was asked for", ["claude-sonnet-4-6"], null],
    ["its dated version", ["claude-sonnet-4-6-20260115"], null],
    ["another one beside it", ["claude-sonnet-4-6", "claude-opus-4-7"], "model claude-opus-4-7"],
  ])("work of %s", (_, models, otherwise) => {
    const usage = { ...used, served: { models, tier: "ultrafast" } };
    const rate = creditRate(tariff);

    expect(rate.costOf(usage)).toBe(plain);
    expect(servedOtherwise(usage, rate.servedAs(usage), "claude-sonnet-4-6")).toBe(otherwise ?? "tier ultrafast");
  });

  test("what a provider says that it bills is more than what is charged by more than rounding, at the worth of a credit", () => {
    const billed = (billedTicks: number, creditNanoUsd = 1_000_000_000n) =>
      billedMore({ ...used, billedTicks }, 5n, creditNanoUsd);

    expect([billed(50), billed(61), billed(62)]).toEqual([null, null, "0.0000000062 USD"]);
    expect([billed(500, 10_000_000_000n), billed(602, 10_000_000_000n)]).toEqual([null, "0.0000000602 USD"]);
    expect(billedMore(used, 0n, 1n)).toBeNull();
  });

  test("who asks for a tier reserves what everybody is served too, in the dearest region", () => {
    const mostOf = (asked: string): bigint => creditRate(tariff, asked).mostOf({ input: 1_000_000, output: 0 });
    // A million tokens written to a cache.
    const dearest = nano(5 * 1.1) * 1_000_000n;

    expect(mostOf("default")).toBe(dearest);
    expect(mostOf("flex")).toBe(dearest);
    expect(mostOf("priority")).toBe(dearest * 2n);
  });
});

test("a price has other amounts in the hours that it names, with every size and tier", () => {
  const busy = priced(long, flex, flexLong, line({ hours: "mon-fri 01:00-04:00" }, 2));
  const used = { ...NO_USAGE, inputTokens: 300_000, outputTokens: 10 };
  const [night, noon] = [Date.UTC(2026, 10, 18, 2), Date.UTC(2026, 10, 18, 12)];

  expect([isPeak(busy, night), isPeak(busy, noon), isPeak(priced(long), night)]).toEqual([true, false, false]);
  expect(chargeOf(busy, used, "flex", true)).toBe(2n * chargeOf(busy, used, "flex"));
  expect(chargeOf(priced(long), used, "default", true)).toBe(chargeOf(priced(long), used));
  expect(rowsOf(busy)).toHaveLength(8);
});

/** A quarter of it is whole, so that every factor below makes a price. */
const amount = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((nanos) => nanos * 4n);
const partsIn = fc.record({
  inputNano: amount,
  outputNano: amount,
  cacheReadNano: amount,
  cacheWrite5mNano: amount,
  outputReasoningNano: amount,
  inputImageNano: amount,
  outputImageNano: amount,
});
const steps = fc.array(
  fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 2_000 }), fc.oneof(partsIn, fc.constant(null))),
  { maxLength: 3 },
);
const FACTORS = [500_000_000n, 2_000_000_000n, 3_000_000_000n];
const byWhere = (where: (name: string) => When, ...names: string[]) =>
  fc
    .subarray(names)
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc
            .constantFrom(...FACTORS)
            .map((times): WhenLine => ({ when: where(name), nano: {}, toolCallNano: {}, times, sold: true })),
        ),
      ),
    );
const tierLines = byWhere((tier) => ({ tier }), "flex", "priority");
const regionLines = byWhere((region) => ({ region }), "eu");
const hourLines = byWhere((hours) => ({ hours }), "01:00-04:00");
const prices = fc.record({ parts: partsIn, steps, tierLines, regionLines, hourLines }).map((made): Tariff => {
  const { parts, steps: chosen } = made;
  const lines = chosen
    .toSorted(([one, at], [other, there]) => at + Number(one) - (there + Number(other)))
    .map(([above, at, replaced]): WhenLine => ({
      when: above ? { inputAbove: at } : { inputFrom: at },
      nano: replaced ?? {},
      toolCallNano: {},
      times: replaced === null ? 2_000_000_000n : null,
      sold: true,
    }));
  return { ...parts, toolCallNano: {}, when: [...lines, ...made.tierLines, ...made.regionLines, ...made.hourLines] };
});
const served = fc.record(
  {
    tier: fc.constantFrom("default", "flex", "priority", "ultrafast"),
    region: fc.constantFrom("any", "eu", "us"),
  },
  { requiredKeys: [] },
);

test("no charge is above what is reserved for it, and what is afforded can be paid", () => {
  const request = fc.record({
    tariff: prices,
    most: fc.nat({ max: 3_000 }),
    share: fc.integer({ min: 0, max: 1_000 }),
    read: fc.integer({ min: 0, max: 1_000 }),
    written: fc.integer({ min: 0, max: 1_000 }),
    output: fc.nat({ max: 500 }),
    thought: fc.integer({ min: 0, max: 1_000 }),
    pictures: fc.integer({ min: 0, max: 1_000 }),
    money: amount,
    asked: fc.constantFrom("default", "flex", "priority"),
    peak: fc.boolean(),
    served,
    route: fc.constantFrom(null, "eu", "us"),
  });
  fc.assert(
    fc.property(request, ({ tariff, most, share, read, written, output, thought, pictures, money, ...way }) => {
      fc.pre(tariffFault(tariff) === null);
      const asked = ["default", ...tiersSold(tariff)].includes(way.asked) ? way.asked : "default";
      const inputTokens = Math.floor((most * share) / 1_000);
      const cacheReadTokens = Math.floor((inputTokens * read) / 1_000);
      const cacheWriteTokens = Math.floor(((inputTokens - cacheReadTokens) * written) / 1_000);
      const usage = {
        ...NO_USAGE,
        inputTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens: output,
        reasoningTokens: Math.floor((output * thought) / 1_000),
        parts: {
          input_image: Math.floor(((inputTokens - cacheReadTokens - cacheWriteTokens) * pictures) / 1_000),
          output_image: Math.floor(((output - Math.floor((output * thought) / 1_000)) * pictures) / 1_000),
        },
        served: way.served,
      };
      const rate = rateIn(creditRate(tariff, asked, way.peak), way.route);

      expect(rate.costOf(usage)).toBeLessThanOrEqual(roundedUp(rate.mostOf({ input: most, output })));
      const afforded = rate.outputFor(money * 1_000_000n, most);
      if (afforded === null || afforded < 0n) return;
      const outputTokens = Number(afforded > 100_000n ? 100_000n : afforded);
      expect(
        rate.costOf({
          ...usage,
          outputTokens,
          parts: { ...usage.parts, output_image: Math.max(0, outputTokens - usage.reasoningTokens) },
        }),
      ).toBeLessThanOrEqual(money);
    }),
    { numRuns: Number(process.env["PRICES"] ?? 2_000) },
  );
});

test("a route says where an answer was served that does not say it, where the price has that region", () => {
  const tariff = priced(line({ region: "eu" }, 2));
  const used: Usage = { ...NO_USAGE, inputTokens: 1_000 };
  const rate = creditRate(tariff);
  const [inEu, inUs] = [rateIn(rate, "eu"), rateIn(rate, "us")];

  expect(inEu.costOf(used)).toBe(2n * rate.costOf(used));
  expect(inEu.servedAs(used)).toMatchObject({ region: "eu" });
  // What the answer says stands: anywhere, and a region of its own.
  expect(inEu.costOf({ ...used, served: { region: "any" } })).toBe(rate.costOf(used));
  expect(inEu.costOf({ ...used, served: { region: "us" } })).toBe(rate.costOf(used));
  expect(inUs).toBe(rate);
  expect(rateIn(rate, null)).toBe(rate);
  expect(rateIn(TOKEN_RATE, "eu")).toBe(TOKEN_RATE);
});

test("every row has a price of every part", () => {
  fc.assert(
    fc.property(prices, (tariff) => {
      fc.pre(tariffFault(tariff) === null);
      for (const row of rowsOf(tariff))
        for (const part of TARIFF_PARTS) expect(row.nano[part]).toBeGreaterThanOrEqual(0n);
    }),
  );
});
