import { type CoreShares, coreSharesOf, describeShares, disturbanceIn } from "./core-shares.ts";
import { type Figure, figureOf, type Sample } from "./figure.ts";
import type { Percentiles } from "./load-job.ts";
import { runLoad, type Stage } from "./stage.ts";
import type { Subject, SubjectName } from "./subject.ts";

export type LatencyRound = {
  subject: SubjectName;
  ratePerSecond: number;
  micros: Percentiles;
  latenessMicros: Percentiles;
  shares: CoreShares;
  invalid: string | null;
};

export type LatencyOutcome = { figures: Figure[]; rounds: LatencyRound[] };

export type LatencyInput = {
  kind: "plain" | "stream";
  /** The same for everybody; half of what the slower proxy can bear. */
  ratePerSecond: number;
  eventsPerStream: number | null;
};

/**
 * What a proxy adds at half load: to the whole answer of plain requests, to the first byte of streams. Each round also asks
 * the provider itself at the same rate; what that took is subtracted, percentile from percentile.
 */
export async function measureLatency(stage: Stage, input: LatencyInput): Promise<LatencyOutcome> {
  const rounds: LatencyRound[] = [];
  const added: Record<"p50" | "p99", Sample[]> = { p50: [], p99: [] };

  for (let round = 1; round <= stage.options.rounds; round += 1) {
    const [zero, ...others] = await inTurn([stage.direct, ...stage.proxies], async (subject) => {
      const measured = await measureRound(stage, subject, input);
      stage.progress(`${input.kind} ${round}/${stage.options.rounds} ${describe(measured)}`);
      return measured;
    });
    if (zero === undefined) continue;
    rounds.push(zero, ...others);
    for (const share of ["p50", "p99"] as const) {
      added[share].push(sampleOf(zero, zero.micros[share]));
      for (const other of others) {
        const invalid = other.invalid ?? zero.invalid;
        added[share].push(sampleOf({ ...other, invalid }, other.micros[share] - zero.micros[share]));
      }
    }
  }
  return { figures: (["p50", "p99"] as const).map((share) => figure(input, share, added[share])), rounds };
}

async function measureRound(stage: Stage, subject: Subject, input: LatencyInput): Promise<LatencyRound> {
  const result = await runLoad(stage, subject, {
    mode: "open",
    model: subject.models[input.kind],
    streamed: input.kind === "stream" ? "yes" : "no",
    ratePerSecond: input.ratePerSecond,
    eventsPerStream: input.eventsPerStream,
  });
  const shares = coreSharesOf(result);
  return {
    subject: subject.name,
    ratePerSecond: input.ratePerSecond,
    micros: input.kind === "stream" ? result.firstByteMicros : result.latencyMicros,
    latenessMicros: result.latenessMicros,
    shares,
    invalid: disturbanceIn(shares),
  };
}

async function inTurn<Item, Outcome>(
  items: readonly Item[],
  act: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) outcomes.push(await act(item));
  return outcomes;
}

function sampleOf({ subject, invalid }: Pick<LatencyRound, "subject" | "invalid">, micros: number): Sample {
  return { subject, value: micros / 1000, invalid };
}

function figure(input: LatencyInput, share: "p50" | "p99", samples: readonly Sample[]): Figure {
  const rate = Math.round(input.ratePerSecond).toLocaleString("en");
  return figureOf({
    id: `${input.kind === "stream" ? "first-byte" : "latency"}-${share}`,
    title:
      input.kind === "stream"
        ? `Added time to first byte, ${share}, ${rate} streams/s`
        : `Added latency, ${share}, ${rate} req/s`,
    unit: "ms",
    better: "lower",
    samples,
  });
}

function describe({ subject, ratePerSecond, micros, latenessMicros, shares, invalid }: LatencyRound): string {
  return [
    `${subject.padEnd(8)} at ${Math.round(ratePerSecond).toLocaleString("en")}/s`,
    `p50 ${micros.p50} µs p99 ${micros.p99} µs`,
    `generator late p50 ${latenessMicros.p50} µs p99 ${latenessMicros.p99} µs`,
    describeShares(shares),
    ...(invalid === null ? [] : ["INVALID"]),
  ].join(" · ");
}
