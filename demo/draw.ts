/** Random numbers that follow from a seed: whoever draws again draws the same. */
export type Draw = {
  /** From 0 to 1, without 1. */
  next: () => number;
  chance: (share: number) => boolean;
  /** A whole number, both ends included. */
  whole: (least: number, most: number) => number;
  /** Around a median, as durations and lengths are: now and then several times as much. `spread` 0.5 is usual. */
  around: (median: number, spread: number) => number;
  pick: <Value>(values: readonly Value[]) => Value;
  /** By weight. */
  share: <Value extends { weight: number }>(values: readonly Value[]) => Value;
  /** So many hexadecimal digits. */
  hex: (digits: number) => string;
};

export function createDraw(seed: string): Draw {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    chance: (share) => next() < share,
    whole,
    around: (median, spread) => {
      // Box and Muller; the logarithm takes no zero.
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp(spread * normal);
    },
    pick: (values) => {
      const value = values[whole(0, values.length - 1)];
      if (value === undefined) throw new RangeError("nothing to pick from");
      return value;
    },
    share: (values) => {
      let left = next() * values.reduce((sum, { weight }) => sum + weight, 0);
      const found = values.find(({ weight }) => (left -= weight) < 0) ?? values.at(-1);
      if (found === undefined) throw new RangeError("nothing to pick from");
      return found;
    },
    hex: (digits) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(""),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return hash;
}
