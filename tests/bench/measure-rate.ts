import { type CoreShares, coreSharesOf, describeShares, disturbanceIn, percent } from "./core-shares.ts";
import { type Figure, figureOf, type Sample } from "./figure.ts";
import type { LoadResult } from "./load-job.ts";
import { runLoad, type Stage } from "./stage.ts";
import type { BenchDialect } from "./dialects.ts";
import type { Subject, SubjectName } from "./subject.ts";

export type RateRound = {
  subject: SubjectName;
  requestsPerSecond: number;
  /** Requests, or events of streams. */
  operationsPerSecond: number;
  cpuMicrosPerOperation: number;
  /** What PostgreSQL used beside; 0 for those who have none. */
  databaseMicrosPerRequest: number;
  shares: CoreShares;
  eventsPerRead: number;
  invalid: string | null;
};

export type RateOutcome = { figures: Figure[]; rounds: RateRound[] };

export type RateInput = { dialect: BenchDialect; kind: "plain" | "stream"; eventsPerStream: number | null };

/** Below this share of its core a proxy was not the limit, and its rate says nothing about it. */
const BUSY_SHARE = 0.9;

/** Finds the highest rate of both proxies, in alternating rounds, after one round straight to the provider. */
export async function measureRate(stage: Stage, input: RateInput): Promise<RateOutcome> {
  const rounds: RateRound[] = [];
  const measure = async (subject: Subject, label: string): Promise<void> => {
    const result = await runLoad(stage, subject, {
      mode: "closed",
      dialect: input.dialect,
      model: subject.models[input.kind],
      streamed: input.kind === "stream" ? "yes" : "no",
      eventsPerStream: input.eventsPerStream,
    });
    const round = roundOf(subject, result, input.kind);
    rounds.push(round);
    stage.progress(`${nameOf(input)} ${label} ${describe(round)}`);
  };

  await measure(stage.direct, "zero line");
  for (let round = 1; round <= stage.options.rounds; round += 1) {
    for (const proxy of stage.proxies) await measure(proxy, `round ${round}/${stage.options.rounds}`);
  }
  return { figures: figuresOf(input, rounds), rounds };
}

function roundOf(subject: Subject, result: LoadResult, kind: RateInput["kind"]): RateRound {
  const operations = kind === "stream" ? result.events : result.requests;
  const shares = coreSharesOf(result);
  return {
    subject: subject.name,
    requestsPerSecond: (result.requests / result.durationMs) * 1000,
    operationsPerSecond: (operations / result.durationMs) * 1000,
    cpuMicrosPerOperation: result.cpuMicros.proxy / operations,
    databaseMicrosPerRequest: result.cpuMicros.database / result.requests,
    shares,
    eventsPerRead: result.events / result.reads,
    invalid: subject.name === "direct" ? null : invalidity(shares),
  };
}

function invalidity(shares: CoreShares): string | null {
  if (shares.proxy >= BUSY_SHARE) return null;
  return `proxy busy ${percent(shares.proxy)}, ${disturbanceIn(shares) ?? "load or provider was the limit"}`;
}

/** Chat is what the others are measured by, so it has the plain names. */
const nameOf = ({ dialect, kind }: RateInput): string => (dialect === "chat" ? kind : `${dialect}-${kind}`);

function figuresOf(input: RateInput, rounds: readonly RateRound[]): Figure[] {
  const { kind, dialect } = input;
  const suffix = dialect === "chat" ? "" : `, ${dialect}`;
  const operation = kind === "stream" ? "event" : "request";
  const samples = (value: (round: RateRound) => number): Sample[] =>
    rounds.map((round) => ({ subject: round.subject, value: value(round), invalid: round.invalid }));
  return [
    figureOf({
      id: `${nameOf(input)}-rate`,
      title: `${kind === "stream" ? "Stream events relayed" : "Plain requests"}${suffix}`,
      unit: `${operation}s/s`,
      better: "higher",
      samples: samples((round) => round.operationsPerSecond),
    }),
    figureOf({
      id: `${nameOf(input)}-cpu`,
      title: `Processor time per ${operation}${suffix}`,
      unit: "µs",
      better: "lower",
      samples: samples((round) => round.cpuMicrosPerOperation).filter(({ subject }) => subject !== "direct"),
    }),
  ];
}

function describe(round: RateRound): string {
  return [
    `${round.subject.padEnd(8)} ${Math.round(round.operationsPerSecond).toLocaleString("en")}/s`,
    `${round.cpuMicrosPerOperation.toFixed(1)} µs each`,
    ...(round.databaseMicrosPerRequest > 0
      ? [`PostgreSQL ${round.databaseMicrosPerRequest.toFixed(1)} µs a request`]
      : []),
    describeShares(round.shares),
    ...(round.invalid === null ? [] : ["INVALID"]),
  ].join(" · ");
}
