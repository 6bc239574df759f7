import { type Decimal, sum, ZERO } from "../../core/money/decimal.ts";
import type { JournalRow } from "./journal-row.ts";

/** A charge near the edge of the day, and which side our books have it on. */
export type EdgeCharge = Pick<JournalRow, "holdId" | "atMs" | "counts"> & {
  inside: boolean;
  cost: Readonly<Record<string, Decimal>> | null;
};

/** Hold ids, of which no more are kept than people read. */
export type Holds = { count: number; ids: string[] };

/** Requests with so much input or more, and what they cost by part. */
export type CostStep = { above: number; from: boolean };
export type Stepped = CostStep & { cost: Map<string, Decimal>; holds: Holds };

/** What all charges of one credential, model, tier and region used. */
export type JournalCell = {
  provider: string;
  credential: string | null;
  model: string | null;
  tier: string;
  region: string;
  counts: Map<string, bigint>;
  /** The share of the counts that is ours and not the provider's. */
  estimated: Map<string, bigint>;
  /** Null: something in it has no cost price. */
  cost: Map<string, Decimal> | null;
  holds: Holds;
  estimatedHolds: Holds;
  edges: EdgeCharge[];
  steps: Stepped[];
};

const MOST_IDS = 1_000;
/** More near one midnight are not told apart. */
export const MOST_EDGES = 2_000;

export const noHolds = (): Holds => ({ count: 0, ids: [] });

export function addHold(holds: Holds, id: string): void {
  holds.count++;
  if (holds.ids.length < MOST_IDS) holds.ids.push(id);
}

export const joinHolds = (all: readonly Holds[]): Holds => ({
  count: all.reduce((count, holds) => count + holds.count, 0),
  ids: all.flatMap(({ ids }) => ids).slice(0, MOST_IDS),
});

export function addCounts(to: Map<string, bigint>, counts: Iterable<readonly [string, bigint | number]>): void {
  for (const [part, count] of counts) to.set(part, (to.get(part) ?? 0n) + BigInt(count));
}

export function addMoney(to: Map<string, Decimal>, money: Iterable<readonly [string, Decimal]>): void {
  for (const [part, usd] of money) to.set(part, sum(to.get(part) ?? ZERO, usd));
}
