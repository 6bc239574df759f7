/** Chance that can be repeated: the same seed gives the same choices in the same order. */
export type Random = {
  /** From 0 up to and without 1. */
  fraction: () => number;
  /** An integer from 0 up to and without `below`. */
  integer: (below: number) => number;
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    // A multiplicative step and two shifts: poor for secrets, good enough to shake a test.
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(fraction() * below);
  return { fraction, integer, pick: (items) => items[integer(items.length)] ?? items[0] };
}
