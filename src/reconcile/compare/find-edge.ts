import type { EdgeCharge } from "../journal/journal-cell.ts";

/** Charges that the provider has on the other side of midnight, and what that does to its figures; `exact`: no others do. */
export type Shift = { charges: readonly EdgeCharge[]; exact: boolean };

type Search = {
  edges: readonly EdgeCharge[];
  /** By kind: what the provider has more. */
  wanted: ReadonlyMap<string, bigint>;
  kindOf: (part: string) => string | null;
  dayMs: number;
};

/** So many are tried in every combination. */
const MOST_TRIED = 14;
const HALF_DAY_MS = 43_200_000;

/** Which charges at the edges of the day, each whole, explain a difference; null: none do. */
export function findEdge({ edges, wanted, kindOf, dayMs }: Search): Shift | null {
  const kinds = [...wanted.keys()];
  const target = kinds.map((kind) => wanted.get(kind) ?? 0n);
  const moves = edges
    .map((charge) => ({ charge, effect: effectOf(charge, kinds, kindOf) }))
    .filter(({ effect }) => effect.some((count) => count !== 0n));
  if (moves.length === 0) return null;
  if (moves.length <= MOST_TRIED) return everyCombination(moves, target);
  return byClock(moves, target, dayMs) ?? within(moves, target);
}

/** What moving a charge to the other side does to the provider's figures. */
export const effectOf = (
  { counts, inside }: EdgeCharge,
  kinds: readonly string[],
  kindOf: (part: string) => string | null,
): bigint[] => {
  const effect = kinds.map(() => 0n);
  for (const [part, count] of Object.entries(counts)) {
    const at = kinds.indexOf(kindOf(part) ?? "");
    if (at >= 0) effect[at] = (effect[at] ?? 0n) + (inside ? -BigInt(count) : BigInt(count));
  }
  return effect;
};

type Move = { charge: EdgeCharge; effect: readonly bigint[] };

const plus = (one: readonly bigint[], other: readonly bigint[]): bigint[] =>
  one.map((count, at) => count + (other[at] ?? 0n));
const same = (one: readonly bigint[], other: readonly bigint[]): boolean =>
  one.every((count, at) => count === other[at]);

function everyCombination(moves: readonly Move[], target: readonly bigint[]): Shift | null {
  for (let mask = 1; mask < 1 << moves.length; mask++) {
    const chosen = moves.filter((_, at) => (mask >> at) % 2 === 1);
    const effect = chosen.reduce<readonly bigint[]>(
      (all, move) => plus(all, move.effect),
      target.map(() => 0n),
    );
    if (same(effect, target)) return { charges: chosen.map(({ charge }) => charge), exact: true };
  }
  return null;
}

/** The provider's clock is ahead or behind: it has another first charge of the day, another last one, or both. */
function byClock(moves: readonly Move[], target: readonly bigint[], dayMs: number): Shift | null {
  const isStart = ({ charge }: Move): boolean => charge.atMs < dayMs + HALF_DAY_MS;
  const starts = shiftsAt(moves.filter(isStart), target.length);
  const ends = shiftsAt(
    moves.filter((move) => !isStart(move)),
    target.length,
  );
  const endOf = new Map(ends.map((shift) => [shift.effect.join(), shift]));
  for (const start of starts) {
    const end = endOf.get(target.map((count, at) => count - (start.effect[at] ?? 0n)).join());
    if (end !== undefined && start.count + end.count > 0)
      return {
        charges: [start, end].flatMap(({ away, count }) => away.slice(0, count)).map(({ charge }) => charge),
        exact: true,
      };
  }
  return null;
}

/** The first `count` of `away` are on the other side. */
type EdgeShift = { effect: readonly bigint[]; away: readonly Move[]; count: number };

/** Every place where one edge may have been, by the order of the charges. */
function shiftsAt(moves: readonly Move[], width: number): EdgeShift[] {
  const none = Array.from({ length: width }, () => 0n);
  const shifts: EdgeShift[] = [{ effect: none, away: [], count: 0 }];
  for (const inside of [true, false]) {
    const away = moves
      .filter(({ charge }) => charge.inside === inside)
      .toSorted((one, other) => distance(one) - distance(other));
    let effect = none;
    for (const [at, move] of away.entries()) {
      effect = plus(effect, move.effect);
      shifts.push({ effect, away, count: at + 1 });
    }
  }
  return shifts;
}

const DAY_MS = 86_400_000;
/** From the nearest midnight. */
const distance = ({ charge }: Move): number => Math.min(charge.atMs % DAY_MS, DAY_MS - (charge.atMs % DAY_MS));

/** Of a busy midnight no more can be said than that the difference is no larger than what touches it. */
function within(moves: readonly Move[], target: readonly bigint[]): Shift | null {
  const fits = target.every((count, at) => {
    const effects = moves.map(({ effect }) => effect[at] ?? 0n);
    const least = effects.reduce((all, one) => (one < 0n ? all + one : all), 0n);
    const most = effects.reduce((all, one) => (one > 0n ? all + one : all), 0n);
    return least <= count && count <= most;
  });
  return fits ? { charges: moves.map(({ charge }) => charge), exact: false } : null;
}
