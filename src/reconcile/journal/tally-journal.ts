import type { Costs } from "../../core/bills/name-map.ts";
import type { Decimal } from "../../core/money/decimal.ts";
import { addCounts, addHold, addMoney, type JournalCell, MOST_EDGES, noHolds, type CostStep } from "./journal-cell.ts";
import { GRACE_MS, type JournalRow, type JournalRows } from "./journal-row.ts";
import { costOf, inputOf, priceRow } from "../../core/bills/price-counts.ts";

/** Where providers are known to begin to ask more, and on which side of the number. */
export const KNOWN_STEPS: readonly CostStep[] = [128_000, 200_000, 256_000, 272_000, 512_000].flatMap((above) => [
  { above, from: false },
  { above, from: true },
]);

const MOST_CELLS = 100_000;
export const DAY_MS = 86_400_000;

export type JournalTally = { cells: JournalCell[]; rows: number };

/** Sums a day of the journal, row by row: what is kept grows with the number of names, not of requests. */
export async function tallyJournal(
  rows: JournalRows,
  { dayMs, costs }: { dayMs: number; costs: Costs | null },
): Promise<JournalTally> {
  const cells = new Map<string, JournalCell>();
  let counted = 0;
  for await (const row of rows) {
    const inside = row.atMs >= dayMs && row.atMs < dayMs + DAY_MS;
    const atEdge = touches(row, dayMs) || touches(row, dayMs + DAY_MS);
    if (!inside && !atEdge) continue;
    const key = JSON.stringify([row.provider, row.credential, row.upstreamModel, row.tier, row.region]);
    let cell = cells.get(key);
    if (cell === undefined) {
      if (cells.size >= MOST_CELLS)
        throw new Error(`the journal of the day has more than ${MOST_CELLS} combinations of names`);
      cells.set(key, (cell = emptyCell(row)));
    }
    const tariff = costOf(costs, row.provider, row.upstreamModel);
    const cost = tariff === null ? null : priceRow(row, tariff);
    if (inside) {
      counted++;
      addRow(cell, row, cost);
    }
    if (atEdge && cell.edges.length < MOST_EDGES)
      cell.edges.push({ holdId: row.holdId, atMs: row.atMs, counts: row.counts, inside, cost });
  }
  return { cells: [...cells.values()], rows: counted };
}

const touches = ({ admittedAtMs, atMs }: JournalRow, edgeMs: number): boolean =>
  admittedAtMs - GRACE_MS <= edgeMs && edgeMs <= atMs + GRACE_MS;

const emptyCell = ({ provider, credential, upstreamModel, tier, region }: JournalRow): JournalCell => ({
  provider,
  credential,
  model: upstreamModel,
  tier,
  region,
  counts: new Map(),
  estimated: new Map(),
  cost: new Map(),
  holds: noHolds(),
  estimatedHolds: noHolds(),
  edges: [],
  steps: [],
});

function addRow(cell: JournalCell, row: JournalRow, cost: Record<string, Decimal> | null): void {
  addCounts(cell.counts, Object.entries(row.counts));
  addHold(cell.holds, row.holdId);
  if (row.estimated) {
    addCounts(cell.estimated, Object.entries(row.counts));
    addHold(cell.estimatedHolds, row.holdId);
  }
  if (cost === null) cell.cost = null;
  else if (cell.cost !== null) addMoney(cell.cost, Object.entries(cost));
  if (cost !== null) addSteps(cell, row, cost);
}

function addSteps(cell: JournalCell, row: JournalRow, cost: Record<string, Decimal>): void {
  const input = inputOf(row.counts);
  for (const step of KNOWN_STEPS) {
    if (step.from ? input < step.above : input <= step.above) continue;
    let stepped = cell.steps.find(({ above, from }) => above === step.above && from === step.from);
    if (stepped === undefined) cell.steps.push((stepped = { ...step, cost: new Map(), holds: noHolds() }));
    addMoney(stepped.cost, Object.entries(cost));
    addHold(stepped.holds, row.holdId);
  }
}
