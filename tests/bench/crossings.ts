import type { BenchDialect } from "./dialects.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** One slice of streams of one provider format to callers of one format. */
export type CrossingSlice = {
  client: BenchDialect;
  provider: BenchDialect;
  round: number;
  eventsPerSecond: number;
  cpuMicrosPerEvent: number;
  /** Why the slice does not count, or null. */
  invalid: string | null;
};

/** What a stream costs that callers get in another format than its provider speaks. */
export type Crossing = {
  client: BenchDialect;
  provider: BenchDialect;
  eventsPerSecond: Spread;
  cpuMicrosPerEvent: Spread;
  /** Of a stream that is relayed to the same caller in the same round; null for that stream itself. */
  ofRelayed: { rate: Spread; cpu: Spread; lower: number } | null;
  valid: number;
  total: number;
};

export function crossingsOf(slices: readonly CrossingSlice[]): Crossing[] {
  const pairs = Map.groupBy(slices, ({ client, provider }) => `${client} ${provider}`);
  return [...pairs.values()].flatMap((all) => {
    const [first] = all;
    const own = counting(all);
    const eventsPerSecond = spreadOf(own.map((slice) => slice.eventsPerSecond));
    const cpuMicrosPerEvent = spreadOf(own.map((slice) => slice.cpuMicrosPerEvent));
    if (first === undefined || eventsPerSecond === null || cpuMicrosPerEvent === null) return [];
    const { client, provider } = first;
    const relayed = counting(pairs.get(`${client} ${client}`) ?? []);
    if (relayed.length === 0) throw new Error(`no stream was relayed to callers of ${client}`);
    const ofRelayed = client === provider ? null : ratiosOf(own, relayed);
    const valid = all.filter(({ invalid }) => invalid === null).length;
    return [{ client, provider, eventsPerSecond, cpuMicrosPerEvent, ofRelayed, valid, total: all.length }];
  });
}

function counting(slices: readonly CrossingSlice[]): readonly CrossingSlice[] {
  const valid = slices.filter(({ invalid }) => invalid === null);
  return valid.length > 0 ? valid : slices;
}

/** By rate, and by processor time per event; the lower of both is what counts. */
function ratiosOf(own: readonly CrossingSlice[], relayed: readonly CrossingSlice[]): Crossing["ofRelayed"] {
  const pairs = own.flatMap((slice) => {
    const rival = relayed.find(({ round }) => round === slice.round);
    return rival === undefined ? [] : [{ slice, rival }];
  });
  const rate = spreadOf(pairs.map(({ slice, rival }) => slice.eventsPerSecond / rival.eventsPerSecond));
  const cpu = spreadOf(pairs.map(({ slice, rival }) => rival.cpuMicrosPerEvent / slice.cpuMicrosPerEvent));
  return rate === null || cpu === null ? null : { rate, cpu, lower: Math.min(rate.median, cpu.median) };
}
