import { INPUT_PARTS } from "../../core/bills/kinds.ts";
import type { BillVendor } from "../../core/bills/name-map.ts";
import {
  compareDecimals,
  type Decimal,
  difference,
  formatDecimal,
  magnitude,
  parseDecimal,
  product,
  sum,
  ZERO,
} from "../../core/money/decimal.ts";
import type { BillFinding } from "../finding.ts";
import { type Holds, type JournalCell, joinHolds, type Stepped } from "../journal/journal-cell.ts";
import { type MoneyFigures, type MoneyLine, unexplained } from "./money-line.ts";

export type Explanation = Pick<BillFinding, "verdict" | "why" | "requests">;

const times = (text: string): Decimal => parseDecimal(text) ?? ZERO;
const ONE = times("1");

/** Beyond a step, by what providers multiply input and output. */
const STEP_FACTORS: readonly (readonly [input: Decimal, output: Decimal, words: string])[] = [
  [times("2"), times("1.5"), "input costs 2 times, output 1.5 times"],
  [times("2"), times("2"), "all tokens cost 2 times"],
];
/** Where the vendors' own steps are, first. */
const OWN_STEP: Readonly<Record<BillVendor, number>> = {
  openai: 272_000,
  azure: 272_000,
  anthropic: 200_000,
  aws: 200_000,
  gcp: 200_000,
  openrouter: 200_000,
};
const REGION_FACTORS = ["1.1"];
const TIER_FACTORS = ["2", "0.5", "2.5", "1.5", "1.75", "1.8", "6"];
const WRITE_FACTORS = ["1.25", "2"];

/** What our costs lack, if one thing explains all of the difference. */
export function explainMoney(line: MoneyLine, vendor: BillVendor): Explanation | null {
  return missingStep(line, vendor) ?? missingRegion(line) ?? missingTier(line) ?? missingWrite(line);
}

type Factor = (part: string) => Decimal;

/** Whether these costs by part, multiplied, are all that is unexplained. */
function explains({ figures, kindOfPart }: MoneyLine, cost: ReadonlyMap<string, Decimal>, factor: Factor): boolean {
  const more = new Map<string, Decimal>();
  for (const [part, usd] of cost) {
    const kind = kindOfPart(part);
    if (kind !== null) more.set(kind, sum(more.get(kind) ?? ZERO, product(usd, difference(factor(part), ONE))));
  }
  if ([...more.values()].every(({ digits }) => digits === 0n)) return false;
  return [...figures].every(([kind, one]) => isAccounted(one, more.get(kind) ?? ZERO));
}

const isAccounted = (one: MoneyFigures, more: Decimal): boolean =>
  unexplained({ ...one, cost: sum(one.cost, more) }).digits === 0n;

function missingStep(line: MoneyLine, vendor: BillVendor): Explanation | null {
  const steps = joinSteps(line.cells).toSorted((one, other) => distance(one, vendor) - distance(other, vendor));
  for (const step of steps) {
    const found = STEP_FACTORS.find(([input, output]) =>
      explains(line, step.cost, (part) => stepFactor(part, input, output)),
    );
    if (found === undefined) continue;
    const word = step.from ? "input_from" : "input_above";
    const requests = `${step.holds.count} ${step.holds.count === 1 ? "request" : "requests"} ${step.from ? "from" : "above"} ${step.above.toLocaleString("en-US")}`;
    return {
      verdict: "missing-step",
      why: `${requests} (${step.holds.ids.slice(0, 3).join(", ")}): ${found[2]}; the costs lack ${word}: ${step.above}`,
      requests: step.holds,
    };
  }
  return null;
}

function stepFactor(part: string, input: Decimal, output: Decimal): Decimal {
  if (part.startsWith("tools.")) return ONE;
  return INPUT_PARTS.has(part) ? input : output;
}

const distance = ({ above, from }: Stepped, vendor: BillVendor): number =>
  Math.abs(above - OWN_STEP[vendor]) + (from ? 0.5 : 0);

function joinSteps(cells: readonly JournalCell[]): Stepped[] {
  const joined = new Map<string, Stepped>();
  for (const step of cells.flatMap(({ steps }) => steps)) {
    const key = `${step.above} ${step.from}`;
    const found = joined.get(key);
    joined.set(
      key,
      found === undefined
        ? step
        : { ...step, cost: costOfAll([found.cost, step.cost]), holds: joinHolds([found.holds, step.holds]) },
    );
  }
  return [...joined.values()];
}

function costOfAll(costs: readonly (ReadonlyMap<string, Decimal> | null)[]): Map<string, Decimal> {
  const all = new Map<string, Decimal>();
  for (const cost of costs) for (const [part, usd] of cost ?? []) all.set(part, sum(all.get(part) ?? ZERO, usd));
  return all;
}

/** Cells that share a word, each word by itself and then all of them. */
function groups(
  cells: readonly JournalCell[],
  wordOf: (cell: JournalCell) => string,
): { word: string | null; cells: readonly JournalCell[] }[] {
  const words = [...new Set(cells.map(wordOf))];
  const each = words.map((word) => ({ word, cells: cells.filter((cell) => wordOf(cell) === word) }));
  return each.length > 1 ? [...each, { word: null, cells }] : each;
}

type Try = {
  verdict: Explanation["verdict"];
  factors: readonly string[];
  wordOf: (cell: JournalCell) => string;
  applies: (part: string) => boolean;
  says: (factor: string, word: string | null) => string;
};

function byFactor(line: MoneyLine, { verdict, factors, wordOf, applies, says }: Try): Explanation | null {
  for (const { word, cells } of groups(line.cells, wordOf)) {
    const cost = costOfAll(cells.map((cell) => cell.cost));
    const factor = factors.find((text) => explains(line, cost, (part) => (applies(part) ? times(text) : ONE)));
    if (factor !== undefined)
      return { verdict, why: says(factor, word), requests: joinHolds(cells.map(({ holds }): Holds => holds)) };
  }
  return null;
}

const isTokens = (part: string): boolean => !part.startsWith("tools.");

const missingRegion = (line: MoneyLine): Explanation | null =>
  byFactor(line, {
    verdict: "missing-region",
    factors: REGION_FACTORS,
    wordOf: ({ region }) => region,
    applies: isTokens,
    says: (factor, word) =>
      `tokens${word === null ? "" : ` of region ${word}`} cost ${factor} times; the costs lack that region`,
  });

const missingTier = (line: MoneyLine): Explanation | null =>
  byFactor(line, {
    verdict: "missing-tier",
    factors: TIER_FACTORS,
    wordOf: ({ tier }) => tier,
    applies: isTokens,
    says: (factor, word) =>
      `tokens${word === null ? "" : ` of tier ${word}`} cost ${factor} times; the costs lack that tier`,
  });

const missingWrite = (line: MoneyLine): Explanation | null =>
  byFactor(line, {
    verdict: "missing-part",
    factors: WRITE_FACTORS,
    wordOf: () => "",
    applies: (part) => part.startsWith("cache_write"),
    says: (factor) => `writes to a cache cost ${factor} times; the costs lack their price`,
  });

/** The largest of the kinds, for what nothing explains. */
export function largestOf({ figures }: MoneyLine): string {
  const [first] = [...figures].toSorted(([, one], [, other]) =>
    compareDecimals(magnitude(unexplained(other)), magnitude(unexplained(one))),
  );
  return first === undefined ? "" : `${first[0]} ${formatDecimal(unexplained(first[1]))}`;
}
