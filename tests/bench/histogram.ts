/** Buckets per doubling. 64 keep every percentile within 1.6 % of the truth. */
const STEPS = 64;
const STEP_BITS = 6;
/** Values up to 2^40 µs, which is twelve days, have a bucket of their own; larger ones share the last. */
const DOUBLINGS = 40 - STEP_BITS + 1;
const BUCKETS = STEPS * (DOUBLINGS + 1);

/** Pairs of a bucket's number and how many values are in it; empty buckets are left out. */
export type Buckets = readonly number[];

export type Histogram = {
  /** Takes whole numbers; a negative one counts as zero, a fraction is dropped. */
  record: (value: number) => void;
  count: () => number;
  /** The highest value of the bucket in which this share of all values (0 to 1) has been seen; 0 when empty. */
  percentile: (share: number) => number;
  buckets: () => Buckets;
  /** Adds what another histogram has counted. */
  add: (buckets: Buckets) => void;
};

/**
 * Counts values in buckets that widen with the value, so that a million latencies cost a few kilobytes and recording one
 * costs no allocation. Values below 128 are exact.
 */
export function createHistogram(): Histogram {
  const counts = new Float64Array(BUCKETS);
  let total = 0;

  return {
    record: (value) => {
      const index = bucketOf(value);
      counts[index] = (counts[index] ?? 0) + 1;
      total += 1;
    },
    count: () => total,
    percentile: (share) => {
      if (total === 0) return 0;
      const wanted = Math.max(1, Math.ceil(share * total));
      let seen = 0;
      for (let index = 0; index < BUCKETS; index += 1) {
        seen += counts[index] ?? 0;
        if (seen >= wanted) return highestOf(index);
      }
      return highestOf(BUCKETS - 1);
    },
    buckets: () => [...counts].flatMap((count, index) => (count === 0 ? [] : [index, count])),
    add: (buckets) => {
      for (let at = 0; at + 1 < buckets.length; at += 2) {
        const [index = 0, count = 0] = buckets.slice(at, at + 2);
        counts[index] = (counts[index] ?? 0) + count;
        total += count;
      }
    },
  };
}

/** Row 0 holds 0 to 63 one by one; row n holds the values from 64·2^(n−1) to 128·2^(n−1) in 64 equal steps. */
function bucketOf(value: number): number {
  const whole = Math.max(0, Math.floor(value));
  if (whole < STEPS) return whole;
  const row = Math.floor(Math.log2(whole)) - STEP_BITS + 1;
  if (row > DOUBLINGS) return BUCKETS - 1;
  const step = Math.floor(whole / 2 ** (row - 1)) - STEPS;
  return row * STEPS + step;
}

function highestOf(index: number): number {
  const row = Math.floor(index / STEPS);
  if (row === 0) return index;
  const width = 2 ** (row - 1);
  return ((index % STEPS) + STEPS + 1) * width - 1;
}
