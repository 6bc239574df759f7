import { type CoreShares, coreSharesOf, describeShares } from "./core-shares.ts";
import { type BenchDialect, DIALECTS } from "./dialects.ts";
import { countEvents } from "./probe.ts";
import { runLoad, type Stage } from "./stage.ts";
import { modelOnly } from "./start-tollgate.ts";
import type { Subject } from "./subject.ts";

export type CrossingRound = {
  client: BenchDialect;
  provider: BenchDialect;
  /** As the caller counts them. */
  eventsPerStream: number;
  eventsPerSecond: number;
  cpuMicrosPerEvent: number;
  shares: CoreShares;
};

type Pair = Pick<CrossingRound, "client" | "provider" | "eventsPerStream">;

/** Streams of every provider format to callers of every format, pair by pair in each round, so that noise meets all of them. */
export async function measureCrossings(stage: Stage): Promise<CrossingRound[]> {
  const tollgate = stage.proxies.find(({ name }) => name === "tollgate");
  if (tollgate === undefined) return [];
  const pairs = await pairsOf(tollgate);
  const rounds: CrossingRound[] = [];
  for (let round = 1; round <= stage.options.rounds; round += 1) {
    for (const pair of pairs) {
      const measured = await measure(stage, tollgate, pair);
      rounds.push(measured);
      stage.progress(`translated round ${round}/${stage.options.rounds} ${describe(measured)}`);
    }
  }
  return rounds;
}

async function pairsOf(tollgate: Subject): Promise<Pair[]> {
  const dialects = Object.keys(DIALECTS) as BenchDialect[];
  const pairs: Pair[] = [];
  for (const client of dialects) {
    for (const provider of dialects) {
      pairs.push({ client, provider, eventsPerStream: await countEvents(tollgate, client, modelOnly(provider)) });
    }
  }
  return pairs;
}

async function measure(stage: Stage, tollgate: Subject, pair: Pair): Promise<CrossingRound> {
  const result = await runLoad(stage, tollgate, {
    mode: "closed",
    dialect: pair.client,
    model: modelOnly(pair.provider),
    streamed: "yes",
    eventsPerStream: pair.eventsPerStream,
  });
  return {
    ...pair,
    eventsPerSecond: (result.events / result.durationMs) * 1000,
    cpuMicrosPerEvent: result.cpuMicros.proxy / result.events,
    shares: coreSharesOf(result),
  };
}

function describe({ client, provider, eventsPerStream, eventsPerSecond, cpuMicrosPerEvent, shares }: CrossingRound) {
  return [
    `${client} from ${provider}`.padEnd(24),
    `${eventsPerStream} events a stream`,
    `${Math.round(eventsPerSecond).toLocaleString("en")}/s`,
    `${cpuMicrosPerEvent.toFixed(1)} µs each`,
    describeShares(shares),
  ].join(" · ");
}
