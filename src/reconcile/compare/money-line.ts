import { isBesideRequests, kindOf, partsOf } from "../../core/bills/kinds.ts";
import type { Costs } from "../../core/bills/name-map.ts";
import {
  compareDecimals,
  type Decimal,
  difference,
  magnitude,
  product,
  sum,
  wholeNumber,
  ZERO,
} from "../../core/money/decimal.ts";
import type { JournalCell } from "../journal/journal-cell.ts";
import { costOf, rateSpan } from "../../core/bills/price-counts.ts";
import type { VendorBill, BillCell } from "../tally-bills.ts";
import type { Compared, Quantities } from "./compare-quantities.ts";

/** All that is asked for at once, of bills that do not say for what. */
export const EVERYTHING = "all";

/** What a kind costs by our books and by the bill, in dollars. */
export type MoneyFigures = {
  billed: Decimal;
  cost: Decimal;
  /** What the tokens cost that only one side has, at the least and at the most. */
  known: [Decimal, Decimal];
  tolerance: Decimal;
};

export type MoneyLine = {
  model: string | null;
  cells: readonly JournalCell[];
  figures: Map<string, MoneyFigures>;
  kindOfPart: (part: string) => string | null;
};

type Sides = {
  provider: string;
  model: string | null;
  bill: VendorBill;
  journal: readonly JournalCell[];
  quantities: Quantities;
  costs: Costs;
};

const HALF: Decimal = { digits: 5n, exponent: -1 };
/** A provider may round each request, to no less than this. */
const PER_REQUEST: Decimal = { digits: 1n, exponent: -9 };
/** Money that went through a double is right to so many parts. */
const OF_DOUBLES: Decimal = { digits: 1n, exponent: -9 };

/** Null: something in it has no cost price. */
export function moneyLine({ provider, model, bill, journal, quantities, costs }: Sides): MoneyLine | null {
  const billed = bill.cells.filter((cell) => isOf(cell, provider, model));
  const elsewhere = bill.cells.filter(
    (cell) => cell.provider === provider && cell.usd !== null && (cell.model === null) !== (model === null),
  );
  const everything = billed.some(({ kind }) => kind === null);
  const own = everything ? [EVERYTHING] : [...new Set(billed.flatMap(({ kind }) => kind ?? []))];
  const taken = new Set(elsewhere.flatMap(({ kind }) => kind ?? []));
  // What a bill of kinds has no line of was not charged by it; what it bills without a model belongs to that line.
  const kinds =
    everything || model === null
      ? own
      : [...new Set([...own, ...bill.format.kinds])].filter((kind) => !taken.has(kind));
  const kindOfPart = (part: string): string | null => (everything ? EVERYTHING : kindOf(part, kinds));
  const cells = journal.filter((cell) => model === null || cell.model === model);
  const figures = new Map<string, MoneyFigures>();
  const figuresOf = (kind: string): MoneyFigures => {
    const found = figures.get(kind) ?? { billed: ZERO, cost: ZERO, known: [ZERO, ZERO], tolerance: ZERO };
    figures.set(kind, found);
    return found;
  };
  for (const cell of billed) {
    const one = figuresOf(cell.kind ?? EVERYTHING);
    one.billed = sum(one.billed, cell.usd ?? ZERO);
    one.tolerance = sum(one.tolerance, printed(bill, cell));
  }
  for (const { cost, counts, holds } of cells) {
    if (cost === null && [...counts.keys()].some((part) => kindOfPart(part) !== null)) return null;
    for (const [part, usd] of cost ?? []) {
      const kind = kindOfPart(part);
      if (kind === null) continue;
      const one = figuresOf(kind);
      one.cost = sum(one.cost, usd);
      one.tolerance = sum(one.tolerance, product(PER_REQUEST, wholeNumber(BigInt(holds.count))));
    }
  }
  addKnown({ quantities, model, cells, kindOfPart, costs, figuresOf });
  return { model, cells, figures, kindOfPart };
}

const isOf = ({ provider, model, kind, usd }: BillCell, ofProvider: string, ofModel: string | null): boolean =>
  provider === ofProvider && model === ofModel && usd !== null && (kind === null || !isBesideRequests(kind));

function printed({ format, place }: VendorBill, { usd, priced }: BillCell): Decimal {
  if (format.doubles) return product(magnitude(usd ?? ZERO), OF_DOUBLES);
  return product(product(HALF, { digits: 1n, exponent: place }), wholeNumber(BigInt(priced)));
}

type Adding = {
  quantities: Quantities;
  model: string | null;
  cells: readonly JournalCell[];
  kindOfPart: (part: string) => string | null;
  costs: Costs;
  figuresOf: (kind: string) => MoneyFigures;
};

/** The money of what differs in quantity already: charges at the edge of the day, and tokens that one side alone has. */
function addKnown({ quantities, model, cells, kindOfPart, costs, figuresOf }: Adding): void {
  const add = (kind: string, [least, most]: readonly [Decimal, Decimal]): void => {
    const one = figuresOf(kind);
    const [low, high] = compareDecimals(least, most) <= 0 ? [least, most] : [most, least];
    one.known = [sum(one.known[0], low), sum(one.known[1], high)];
  };
  for (const { pair, shift } of quantities.shifts) {
    if (!shift.exact || !pair.cells.some((cell) => cells.includes(cell))) continue;
    for (const { cost, inside } of shift.charges) {
      for (const [part, usd] of Object.entries(cost ?? {})) {
        const kind = kindOfPart(part);
        if (kind !== null) add(kind, inside ? [minus(usd), minus(usd)] : [usd, usd]);
      }
    }
  }
  for (const compared of quantities.compared) {
    if (compared.rest.digits === 0n || (model !== null && compared.pair.place.model !== model)) continue;
    const [part = ""] = partsOf(compared.kind);
    const [kind, span] = [kindOfPart(part), spanOf(compared, costs)];
    if (kind !== null && span !== null) add(kind, span);
  }
}

const minus = (one: Decimal): Decimal => difference(ZERO, one);

/** What the tokens that one side alone has cost; null: there is no price for them. */
export function spanOf({ rest, kind, pair }: Compared, costs: Costs): [Decimal, Decimal] | null {
  const spans = partsOf(kind).flatMap((part) =>
    pair.cells.flatMap(({ provider, model, tier, region }) => {
      const tariff = costOf(costs, provider, model);
      const span = tariff === null ? null : rateSpan(tariff, { part, tier, region });
      return span === null ? [] : [span];
    }),
  );
  const [first] = spans;
  if (first === undefined) return null;
  const rates = spans.flat().toSorted(compareDecimals);
  const [low = first[0], high = first[1]] =
    pair.cells.length === 1 && partsOf(kind).length === 1 ? first : [rates[0], rates.at(-1)];
  return [product(rest, low), product(rest, high)];
}

/** What the bill asks for beyond our costs and beyond what is known; zero where that is within the tolerance. */
export function unexplained({ billed, cost, known, tolerance }: MoneyFigures): Decimal {
  const [low, high] = known.map((usd) => difference(difference(billed, cost), usd)) as [Decimal, Decimal];
  const [most, least] = compareDecimals(low, high) >= 0 ? [low, high] : [high, low];
  if (compareDecimals(most, minus(tolerance)) >= 0 && compareDecimals(least, tolerance) <= 0) return ZERO;
  return least.digits > 0n ? least : most.digits < 0n ? most : least;
}
