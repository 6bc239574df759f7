import { expect, test } from "vitest";
import { createHistogram } from "./histogram.ts";

/** The value that a sorted list has at this share, by the same rule: at least that share of all values is not above it. */
function exactPercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
}

test("an empty histogram has no count and answers zero", () => {
  const histogram = createHistogram();

  expect(histogram.count()).toBe(0);
  expect(histogram.percentile(0.99)).toBe(0);
});

test("values below 128 come back exactly", () => {
  for (let value = 0; value < 128; value += 1) {
    const histogram = createHistogram();
    histogram.record(value);
    expect(histogram.percentile(0.5)).toBe(value);
  }
});

test("every single value comes back no lower than it was and at most 1.6 % higher", () => {
  for (let value = 1; value < 2 ** 40; value = Math.ceil(value * 1.013)) {
    const histogram = createHistogram();
    histogram.record(value);
    const answer = histogram.percentile(1);
    expect(answer).toBeGreaterThanOrEqual(value);
    expect(answer).toBeLessThanOrEqual(value * (1 + 1 / 64));
  }
});

test("percentiles of a mixed load are within 1.6 % of the sorted list", () => {
  const values: number[] = [];
  let state = 42;
  for (let index = 0; index < 20_000; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    values.push(Math.floor(2 ** (4 + (state / 2 ** 31) * 20)));
  }
  const histogram = createHistogram();
  for (const value of values) histogram.record(value);

  expect(histogram.count()).toBe(values.length);
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999, 1]) {
    const exact = exactPercentile(values, share);
    expect(histogram.percentile(share)).toBeGreaterThanOrEqual(exact);
    expect(histogram.percentile(share)).toBeLessThanOrEqual(exact * (1 + 1 / 64));
  }
});

test("values outside the range are kept in the first and the last bucket", () => {
  const histogram = createHistogram();
  histogram.record(-5);
  histogram.record(2 ** 50);

  expect(histogram.count()).toBe(2);
  expect(histogram.percentile(0.5)).toBe(0);
  expect(histogram.percentile(1)).toBeGreaterThanOrEqual(2 ** 40 - 1);
});

test("histograms are added up bucket by bucket, as if one had counted all", () => {
  const [one, other, all] = [createHistogram(), createHistogram(), createHistogram()];
  for (let value = 1; value <= 1000; value += 1) {
    (value % 3 === 0 ? one : other).record(value * value);
    all.record(value * value);
  }
  one.add(other.buckets());

  expect(one.buckets()).toEqual(all.buckets());
  expect([one.count(), one.percentile(0.99)]).toEqual([1000, all.percentile(0.99)]);
});
