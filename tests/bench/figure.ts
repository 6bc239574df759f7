import type { SubjectName } from "./subject.ts";

export type Spread = { median: number; min: number; max: number };

/** One line of the table: the same quantity for both proxies. */
export type Figure = {
  id: string;
  title: string;
  unit: string;
  better: "higher" | "lower";
  /** The provider without a proxy, where that says something. */
  direct: Spread | null;
  bare: Spread;
  tollgate: Spread | null;
  /** Tollgate's median divided by the bare proxy's; null when that says nothing. */
  ratio: number | null;
  note: string;
};

/** One measurement of one subject. */
export type Sample = {
  subject: SubjectName;
  value: number;
  /** Why the value must not count, or null. */
  invalid: string | null;
};

export type FigureInput = Pick<Figure, "id" | "title" | "unit" | "better"> & { samples: readonly Sample[] };

/**
 * Medians over the rounds that count. Where none of a subject's rounds counts, all are shown and the note says INVALID, so
 * that a figure is never missing and never better than it is.
 */
export function figureOf({ samples, ...head }: FigureInput): Figure {
  const direct = spreadOf(samples, "direct");
  const bare = spreadOf(samples, "bare");
  const tollgate = spreadOf(samples, "tollgate");
  if (bare === null) throw new Error(`${head.id}: the bare proxy was not measured`);
  const ratio = tollgate === null || bare.median <= 0 ? null : tollgate.median / bare.median;
  return { ...head, direct, bare, tollgate, ratio, note: noteOf(samples) };
}

function spreadOf(samples: readonly Sample[], subject: SubjectName): Spread | null {
  const all = samples.filter((sample) => sample.subject === subject);
  const valid = all.filter((sample) => sample.invalid === null);
  return spread((valid.length > 0 ? valid : all).map(({ value }) => value));
}

/** Null: of nothing. */
export function spread(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((left, right) => left - right);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return null;
  return { median: medianOf(sorted), min, max };
}

/** Of a list that is sorted and not empty. */
function medianOf(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

function noteOf(samples: readonly Sample[]): string {
  const notes: string[] = [];
  for (const subject of ["bare", "tollgate"] as const) {
    const rounds = samples.filter((sample) => sample.subject === subject);
    const invalid = rounds.filter((sample) => sample.invalid !== null);
    const [first] = invalid;
    if (first !== undefined) notes.push(`INVALID ${subject} ${invalid.length}/${rounds.length}: ${first.invalid}`);
  }
  return notes.join("; ");
}
