import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chargeOf, creditRate, roundedUp } from "./pay-rate.ts";
import { type Tariff, type When, type WhenLine, TARIFF_PARTS } from "./price.ts";
import { largestSold, rowsOf, tariffFault } from "./rate-rows.ts";
import { NO_USAGE } from "./usage.ts";

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
    ["{ tier: flex } is there twice", [flex, flex]],
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

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
const partsIn = fc.record({
  inputNano: amount,
  outputNano: amount,
  cacheReadNano: amount,
  cacheWrite5mNano: amount,
  outputReasoningNano: amount,
});
const steps = fc.array(
  fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 2_000 }), fc.oneof(partsIn, fc.constant(null))),
  { maxLength: 3 },
);
const prices = fc.record({ parts: partsIn, steps }).map(({ parts, steps: chosen }): Tariff => {
  const lines = chosen
    .toSorted(([one, at], [other, there]) => at + Number(one) - (there + Number(other)))
    .map(([above, at, replaced]): WhenLine => ({
      when: above ? { inputAbove: at } : { inputFrom: at },
      nano: replaced ?? {},
      toolCallNano: {},
      times: replaced === null ? 2_000_000_000n : null,
      sold: true,
    }));
  return { ...parts, toolCallNano: {}, when: lines };
});

test("no charge is above what is reserved for it, and what is afforded can be paid", () => {
  const request = fc.record({
    tariff: prices,
    most: fc.nat({ max: 3_000 }),
    share: fc.integer({ min: 0, max: 1_000 }),
    read: fc.integer({ min: 0, max: 1_000 }),
    written: fc.integer({ min: 0, max: 1_000 }),
    output: fc.nat({ max: 500 }),
    thought: fc.integer({ min: 0, max: 1_000 }),
    money: amount,
  });
  fc.assert(
    fc.property(request, ({ tariff, most, share, read, written, output, thought, money }) => {
      fc.pre(tariffFault(tariff) === null);
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
      };
      const rate = creditRate(tariff);

      expect(chargeOf(tariff, usage)).toBeLessThanOrEqual(roundedUp(rate.mostOf({ input: most, output })));
      const afforded = rate.outputFor(money * 1_000_000n, most);
      if (afforded === null || afforded < 0n) return;
      const outputTokens = Number(afforded > 100_000n ? 100_000n : afforded);
      expect(chargeOf(tariff, { ...usage, outputTokens })).toBeLessThanOrEqual(money);
    }),
    { numRuns: Number(process.env["PRICES"] ?? 2_000) },
  );
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
