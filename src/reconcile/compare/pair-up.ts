import { kindOf } from "../../core/bills/kinds.ts";
import { type Decimal, sum, wholeNumber, ZERO } from "../../core/money/decimal.ts";
import { addCounts, type EdgeCharge, type Holds, type JournalCell, joinHolds } from "../journal/journal-cell.ts";
import type { BillCell } from "../tally-bills.ts";
import { commonGrain, type BillGrain, grainOf, keyOf, type BillPlace, placeAt } from "./dimensions.ts";

/** The two figures of a kind. */
export type PairFigures = {
  journal: Decimal;
  /** The share of the journal's figure that is ours. */
  estimated: Decimal;
  bill: Decimal;
  cut: Decimal;
  /** The bill has a line of it. */
  billed: boolean;
};

/** What stands on one line of the comparison, on both sides. */
export type Pair = {
  place: BillPlace;
  figures: Map<string, PairFigures>;
  holds: Holds;
  estimatedHolds: Holds;
  edges: EdgeCharge[];
  cells: JournalCell[];
};

type Sides = { kinds: ReadonlySet<string>; bill: readonly BillCell[]; journal: readonly JournalCell[] };

/** Puts what was billed beside what was charged, at the coarser grain of the two. */
export function pairUp({ kinds, bill, journal }: Sides): Pair[] {
  return [...byGrain(kinds, bill)].flatMap(([grain, ofGrain]) => {
    const both = commonGrain(grain, grainOf(journal));
    const cells = bill.filter(({ kind, quantity }) => kind !== null && quantity !== null && ofGrain.has(kind));
    return pairsAt(both, { allKinds: kinds, kinds: ofGrain, cells, journal });
  });
}

/** Kinds that are billed to no model are summed over all of them, and do not keep the others from being told apart. */
function byGrain(kinds: ReadonlySet<string>, bill: readonly BillCell[]): Map<BillGrain, Set<string>> {
  const counted = bill.filter(({ kind, quantity }) => kind !== null && quantity !== null && kinds.has(kind));
  const modelless = new Set(counted.flatMap(({ model, kind }) => (model === null && kind !== null ? [kind] : [])));
  const grains = new Map<BillGrain, Set<string>>();
  const others = new Set([...kinds].filter((kind) => !modelless.has(kind)));
  if (others.size > 0) grains.set(grainOf(counted.filter(({ kind }) => kind !== null && others.has(kind))), others);
  for (const kind of modelless) grains.set(grainOf(counted.filter((cell) => cell.kind === kind)), new Set([kind]));
  return grains;
}

type AtGrain = {
  allKinds: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
  cells: readonly BillCell[];
  journal: readonly JournalCell[];
};

function pairsAt(grain: BillGrain, { allKinds, kinds, cells, journal }: AtGrain): Pair[] {
  const pairs = new Map<string, Pair>();
  const pairOf = (cell: BillCell | JournalCell): Pair => {
    const place = placeAt(cell, grain);
    const found = pairs.get(keyOf(place)) ?? emptyPair(place, kinds);
    pairs.set(keyOf(place), found);
    return found;
  };
  for (const cell of journal) pairOf(cell).cells.push(cell);
  for (const { kind, quantity, cut, ...cell } of cells) {
    const figures = kind === null ? undefined : pairOf({ ...cell, kind, quantity, cut }).figures.get(kind);
    if (figures === undefined) continue;
    figures.bill = sum(figures.bill, quantity ?? ZERO);
    figures.cut = sum(figures.cut, cut);
    figures.billed = true;
  }
  for (const pair of pairs.values()) fillJournal(pair, allKinds);
  return [...pairs.values()];
}

const emptyPair = (place: BillPlace, kinds: ReadonlySet<string>): Pair => ({
  place,
  figures: new Map(
    [...kinds].map((kind) => [kind, { journal: ZERO, estimated: ZERO, bill: ZERO, cut: ZERO, billed: false }]),
  ),
  holds: { count: 0, ids: [] },
  estimatedHolds: { count: 0, ids: [] },
  edges: [],
  cells: [],
});

function fillJournal(pair: Pair, allKinds: ReadonlySet<string>): void {
  const [counts, estimated] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const cell of pair.cells) {
    addCounts(counts, cell.counts);
    addCounts(estimated, cell.estimated);
    for (const edge of cell.edges) pair.edges.push(edge);
  }
  pair.holds = joinHolds(pair.cells.map(({ holds }) => holds));
  pair.estimatedHolds = joinHolds(pair.cells.map(({ estimatedHolds }) => estimatedHolds));
  for (const [part, count] of counts) {
    const figures = pair.figures.get(kindOf(part, allKinds) ?? "");
    if (figures === undefined) continue;
    figures.journal = sum(figures.journal, wholeNumber(count));
    figures.estimated = sum(figures.estimated, wholeNumber(estimated.get(part) ?? 0n));
  }
}
