import type { BenchDialect } from "./dialects.ts";
import { type Spread, spread } from "./figure.ts";
import type { CrossingRound } from "./measure-crossings.ts";

/** What a stream costs that is told in another format than its provider speaks. */
export type Crossing = {
  client: BenchDialect;
  provider: BenchDialect;
  eventsPerSecond: Spread;
  cpuMicrosPerEvent: Spread;
  /** Of a stream that is relayed to the same caller: the lower of the ratios of rate and of processor time; 1 for that stream. */
  ratio: number;
};

export function crossingsOf(rounds: readonly CrossingRound[]): Crossing[] {
  const pairs = Map.groupBy(rounds, ({ client, provider }) => `${client} ${provider}`);
  const measured = [...pairs.values()].flatMap((of) => {
    const [first] = of;
    const eventsPerSecond = spread(of.map((round) => round.eventsPerSecond));
    const cpuMicrosPerEvent = spread(of.map((round) => round.cpuMicrosPerEvent));
    if (first === undefined || eventsPerSecond === null || cpuMicrosPerEvent === null) return [];
    return [{ client: first.client, provider: first.provider, eventsPerSecond, cpuMicrosPerEvent }];
  });
  return measured.map((crossing) => {
    const relayed = measured.find(({ client, provider }) => client === provider && client === crossing.client);
    if (relayed === undefined) throw new Error(`no stream was relayed to callers of ${crossing.client}`);
    const rate = crossing.eventsPerSecond.median / relayed.eventsPerSecond.median;
    const time = relayed.cpuMicrosPerEvent.median / crossing.cpuMicrosPerEvent.median;
    return { ...crossing, ratio: Math.min(rate, time) };
  });
}
