import { isBesideRequests, partsOf } from "../../core/bills/kinds.ts";
import { type Decimal, formatDecimal, wholeNumber } from "../../core/money/decimal.ts";
import { type BillFinding, findingOf } from "../finding.ts";
import { joinHolds, type JournalCell } from "../journal/journal-cell.ts";
import type { VendorBill } from "../tally-bills.ts";
import { crossCheck } from "./cross-check.ts";
import { commonGrain, grainOf, keyOf, placeAt } from "./dimensions.ts";
import type { Shift } from "./find-edge.ts";
import { findUnit, inUnit } from "./find-unit.ts";
import { type Judged, judgePair, shownFigures } from "./judge-pair.ts";
import { type Pair, pairUp } from "./pair-up.ts";

/** A line whose figures were compared, for those who compare money. */
export type Compared = Judged & { pair: Pair; finding: BillFinding };
export type Quantities = { compared: Compared[]; shifts: { pair: Pair; shift: Shift }[]; others: BillFinding[] };

type Sides = { provider: string; dayMs: number; bills: readonly VendorBill[]; journal: readonly JournalCell[] };

/** Compares what was used at a provider: each kind with the bill that knows most of it, and the other bills with that one. */
export function compareQuantities({ provider, dayMs, bills, journal }: Sides): Quantities {
  const result: Quantities = { compared: [], shifts: [], others: [] };
  const spoken = new Set<string>();
  const primary: { bill: VendorBill; kinds: Set<string> }[] = [];
  for (const bill of bills.filter(({ format }) => format.quantities > 0).toSorted(byRank)) {
    const cells = bill.cells.filter((cell) => cell.provider === provider && cell.quantity !== null);
    const named = cells.flatMap(({ kind }) => (kind === null ? [] : [kind]));
    const kinds = new Set([...bill.format.kinds, ...named.filter((kind) => !isBesideRequests(kind))]);
    const fresh = new Set([...kinds].filter((kind) => partsOf(kind).every((part) => !spoken.has(part))));
    const known = new Set([...kinds].filter((kind) => !fresh.has(kind)));
    result.others.push(...beside(provider, bill));
    if (known.size > 0) result.others.push(...crossCheck({ provider, bill, kinds: known, primary }));
    for (const part of [...fresh].flatMap(partsOf)) spoken.add(part);
    if (fresh.size === 0) continue;
    primary.push({ bill, kinds: fresh });
    compareBill(result, { provider, dayMs, bill, cells, kinds: fresh, journal });
  }
  if (primary.length > 0)
    result.others.push(...notCovered(provider, { spoken, journal, bills: primary.map(({ bill }) => bill) }));
  return result;
}

const byRank = (one: VendorBill, other: VendorBill): number => other.format.quantities - one.format.quantities;

type OfBill = Omit<Sides, "bills"> & { bill: VendorBill; cells: VendorBill["cells"]; kinds: ReadonlySet<string> };

function compareBill(result: Quantities, { provider, dayMs, bill, cells, kinds, journal }: OfBill): void {
  const pairs = pairUp({ kinds, bill: cells, journal });
  const power = findUnit(pairs);
  if (power !== 0) {
    inUnit(pairs, power);
    result.others.push(
      findingOf({
        provider,
        kind: "all",
        verdict: "unit",
        why: `every figure is off by ${factorText(power)}: one of the export is ${factorText(power)} of the journal; say so with unit in the map`,
        exports: bill.files,
      }),
    );
  }
  for (const pair of pairs) {
    const { judged, shift } = judgePair(pair, {
      dayMs,
      kinds,
      tellsCut: bill.format.tellsCut,
      asked: bill.questions.length > 0,
    });
    if (shift !== null) result.shifts.push({ pair, shift });
    for (const one of judged) {
      if (one.figures.journal.digits === 0n && one.figures.bill.digits === 0n) continue;
      const { verdict, why, requests, kind } = one;
      const finding = findingOf({
        provider,
        ...pair.place,
        kind,
        verdict,
        why,
        requests,
        ...shownFigures(one.figures),
        exports: bill.files,
      });
      result.compared.push({ ...one, pair, finding });
    }
  }
}

const factorText = (power: number): string => formatDecimal({ digits: 1n, exponent: power });

/** Billed, and part of no request. */
function beside(provider: string, bill: VendorBill): BillFinding[] {
  return bill.cells.flatMap((cell) => {
    const { credential, model, tier, region, kind, quantity, usd } = cell;
    if (cell.provider !== provider || kind === null || !isBesideRequests(kind)) return [];
    return [
      findingOf({
        provider,
        credential,
        model,
        tier,
        region,
        kind,
        export: quantity === null ? null : formatDecimal(quantity),
        exportUsd: usd === null ? null : formatDecimal(usd),
        verdict: "unmapped",
        why: `${kind} is no part of a request: have a price for it, or forbid it`,
        exports: bill.files,
      }),
    ];
  });
}

/** What the journal has and no export speaks of. */
function notCovered(
  provider: string,
  {
    spoken,
    journal,
    bills,
  }: { spoken: ReadonlySet<string>; journal: readonly JournalCell[]; bills: readonly VendorBill[] },
): BillFinding[] {
  const grain = commonGrain(grainOf(journal), new Set(["model"]));
  const lines = new Map<string, { count: bigint; part: string; cells: JournalCell[] }>();
  for (const cell of journal) {
    for (const [part, count] of cell.counts) {
      if (spoken.has(part) || count === 0n) continue;
      const key = `${keyOf(placeAt(cell, grain))} ${part}`;
      const line = lines.get(key) ?? { count: 0n, part, cells: [] };
      lines.set(key, { ...line, count: line.count + count, cells: [...line.cells, cell] });
    }
  }
  return [...lines.values()].map(({ count, part, cells }) => {
    const [first] = cells;
    const journalCount: Decimal = wholeNumber(count);
    return findingOf({
      provider,
      model: first === undefined ? null : placeAt(first, grain).model,
      kind: part,
      journal: formatDecimal(journalCount),
      verdict: "not-covered",
      why: "none of the exports speaks of it",
      exports: bills.flatMap(({ files }) => files),
      requests: joinHolds(cells.map(({ holds }) => holds)),
    });
  });
}
