/** From and to, in milliseconds since the epoch. */
export type Interval = readonly [startMs: number, endMs: number];

/** What was noted inside of the gateway. */
export type TailNotes = {
  collections: Interval[];
  /** When the event loop should have been free, and when it was. */
  late: Interval[];
  /** Calls to the ledger, from sending to the answer. */
  calls: Interval[];
};

/** When a request came in and when it reached each step, as the gateway recorded it; steps in microseconds since it came in. */
export type RecordedRequest = {
  startMs: number;
  checked: number;
  admitted: number;
  dispatched: number;
  lastByte: number;
  settled: number;
  closed: number;
};

/** What the time of a request was spent on, in milliseconds. */
export const PARTS = ["own", "flushWait", "flush", "provider", "loop", "collection"] as const;
export type Part = (typeof PARTS)[number];
export type Breakdown = Record<Part, number>;

export const PART_TITLES: Record<Part, string> = {
  own: "work of the gateway",
  flushWait: "waiting for the flush",
  flush: "flush in PostgreSQL",
  provider: "provider",
  loop: "event loop busy with others",
  collection: "garbage collection",
};

/** Ids tell the millisecond in which a request came in, not the microsecond. */
const TOLERANCE_MS = 1;

type Span = { part: Part; startMs: number; endMs: number };

/**
 * Divides the time of a request. While it waits for something outside, a busy event loop or a collection delays it only if it lasts
 * until the wait is over; while the gateway works on it, all of both does.
 */
export function breakdownOf(request: RecordedRequest, notes: TailNotes): Breakdown {
  const sums: Breakdown = { own: 0, flushWait: 0, flush: 0, provider: 0, loop: 0, collection: 0 };
  for (const span of spansOf(request, notes.calls)) {
    const length = span.endMs - span.startMs;
    if (length <= 0) continue;
    const delays = span.part === "own" ? all : lasting;
    const collection = Math.min(length, delays(notes.collections, span));
    const loop = Math.min(length - collection, Math.max(0, delays(notes.late, span) - collection));
    sums.collection += collection;
    sums.loop += loop;
    sums[span.part] += length - collection - loop;
  }
  return sums;
}

function spansOf({ startMs, ...steps }: RecordedRequest, calls: readonly Interval[]): Span[] {
  const at = (micros: number): number => startMs + micros / 1000;
  const span = (part: Part, from: number, to: number): Span => ({ part, startMs: at(from), endMs: at(to) });
  return [
    span("own", 0, steps.checked),
    ...ledgerSpans(span("flushWait", steps.checked, steps.admitted), calls),
    span("own", steps.admitted, steps.dispatched),
    span("provider", steps.dispatched, steps.lastByte),
    ...ledgerSpans(span("flushWait", steps.lastByte, steps.settled), calls),
    span("own", steps.settled, steps.closed),
  ];
}

/** The call that answered it is the last one that began and ended while it waited. */
function ledgerSpans(wait: Span, calls: readonly Interval[]): Span[] {
  const call = lastWithin(calls, wait);
  if (call === null) return [wait];
  const startMs = Math.max(wait.startMs, call[0]);
  const endMs = Math.min(wait.endMs, Math.max(startMs, call[1]));
  return [
    { part: "flushWait", startMs: wait.startMs, endMs: startMs },
    { part: "flush", startMs, endMs },
    { part: "own", startMs: endMs, endMs: wait.endMs },
  ];
}

function lastWithin(calls: readonly Interval[], { startMs, endMs }: Span): Interval | null {
  for (let index = firstAfter(calls, endMs + TOLERANCE_MS) - 1; index >= 0; index -= 1) {
    const call = calls[index];
    if (call === undefined || call[0] < startMs - TOLERANCE_MS) return null;
    if (call[1] <= endMs + TOLERANCE_MS) return call;
  }
  return null;
}

/** The index of the first interval that begins after this moment; intervals are in the order of their beginnings. */
function firstAfter(intervals: readonly Interval[], atMs: number): number {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.[0] ?? 0) > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Nothing that is noted lasts longer. */
const LONGEST_MS = 2_000;

function near(intervals: readonly Interval[], { startMs, endMs }: Span): readonly Interval[] {
  return intervals.slice(firstAfter(intervals, startMs - LONGEST_MS), firstAfter(intervals, endMs));
}

const overlap = ([from, to]: Interval, { startMs, endMs }: Span): number =>
  Math.max(0, Math.min(to, endMs) - Math.max(from, startMs));

const all = (intervals: readonly Interval[], span: Span): number =>
  near(intervals, span).reduce((sum, interval) => sum + overlap(interval, span), 0);

const lasting = (intervals: readonly Interval[], span: Span): number =>
  near(intervals, span)
    .filter(([, to]) => to >= span.endMs - TOLERANCE_MS)
    .reduce((sum, interval) => sum + overlap(interval, span), 0);

export type Group = { title: string; requests: number; totalMs: number; breakdown: Breakdown };
export type Tail = { groups: Group[]; requests: number };

/** Means of the requests in the middle, and of those in each part of the tail. */
export function tailOf(requests: readonly RecordedRequest[], notes: TailNotes): Tail {
  const ordered = requests.toSorted((one, other) => one.closed - other.closed);
  const inOrder: TailNotes = {
    collections: notes.collections.toSorted(byStart),
    late: notes.late.toSorted(byStart),
    calls: notes.calls.toSorted(byStart),
  };
  const group = (title: string, from: number, to: number): Group[] => {
    const members = ordered.slice(Math.floor(from * ordered.length), Math.ceil(to * ordered.length));
    if (members.length === 0) return [];
    const parts = members.map((request) => breakdownOf(request, inOrder));
    const mean = (part: Part): number => parts.reduce((sum, each) => sum + each[part], 0) / parts.length;
    const breakdown = Object.fromEntries(PARTS.map((part) => [part, mean(part)])) as Breakdown;
    const totalMs = members.reduce((sum, { closed }) => sum + closed / 1000, 0) / members.length;
    return [{ title, requests: members.length, totalMs, breakdown }];
  };
  const groups = [
    ...group("the middle fifth", 0.4, 0.6),
    ...group("p90 to p99", 0.9, 0.99),
    ...group("above p99", 0.99, 1),
    ...group("above p99.9", 0.999, 1),
  ];
  return { groups, requests: ordered.length };
}

const byStart = (one: Interval, other: Interval): number => one[0] - other[0];
