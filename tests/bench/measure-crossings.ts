import { describeShares } from "./core-shares.ts";
import type { CrossingSlice } from "./crossings.ts";
import { CALLER_DIALECTS, PROVIDER_DIALECTS } from "./dialects.ts";
import { probe } from "./probe.ts";
import { measureSlice, type SliceRequest } from "./slice.ts";
import { modelOnly } from "./start-tollgate.ts";
import type { Stage } from "./stage.ts";
import { type Subject, TOLLGATE } from "./subject.ts";
import { whyNotFull } from "./validity.ts";
import { warmUp } from "./warm-up.ts";

type Pair = Pick<CrossingSlice, "client" | "provider"> & { request: SliceRequest };

/** Streams of every provider format to callers of every format, pair by pair in each round, so that noise meets all of them. */
export async function measureCrossings(stage: Stage): Promise<CrossingSlice[]> {
  const tollgate = stage.subjects.find(({ name }) => name === TOLLGATE);
  if (tollgate === undefined) return [];
  const pairs = await pairsOf(tollgate);
  for (const pair of pairs) {
    stage.progress(`translated ${titleOf(pair)}`);
    await warmUp(stage, tollgate, pair.request);
  }
  const slices: CrossingSlice[] = [];
  const rounds = Math.ceil(stage.options.slices / 2);
  for (let round = 1; round <= rounds; round += 1) {
    for (const pair of round % 2 === 1 ? pairs : pairs.toReversed()) {
      const slice = await measurePair({ stage, tollgate, pair, round });
      slices.push(slice);
    }
  }
  return pairs.flatMap(({ client, provider }) =>
    slices.filter((slice) => slice.client === client && slice.provider === provider),
  );
}

async function pairsOf(tollgate: Subject): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const client of CALLER_DIALECTS) {
    for (const provider of PROVIDER_DIALECTS) {
      const model = modelOnly(provider);
      const expected = await probe(tollgate, { dialect: client, kind: "stream", model });
      const request = { mode: "closed", dialect: client, kind: "stream", model, expected } as const;
      pairs.push({ client, provider, request });
    }
  }
  return pairs;
}

type Turn = { stage: Stage; tollgate: Subject; pair: Pair; round: number };

async function measurePair({ stage, tollgate, pair, round }: Turn): Promise<CrossingSlice> {
  const { result, used, shares } = await measureSlice(stage, tollgate, pair.request);
  const eventsPerSecond = (result.eventsInTime / result.durationMs) * 1000;
  const cpuMicrosPerEvent = (used.subject.mainMicros + used.subject.otherMicros) / Math.max(1, result.events);
  const invalid = whyNotFull(result, shares);
  stage.progress(
    `translated ${round} ${titleOf(pair)} · ${Math.round(eventsPerSecond).toLocaleString("en")}/s` +
      ` · ${cpuMicrosPerEvent.toFixed(1)} µs · ${describeShares(shares)}${invalid === null ? "" : ` · INVALID: ${invalid}`}`,
  );
  return { client: pair.client, provider: pair.provider, round, eventsPerSecond, cpuMicrosPerEvent, invalid };
}

const titleOf = ({ client, provider }: Pair): string => `${client} from ${provider}`.padEnd(24);
