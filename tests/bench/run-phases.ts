import type { Figure } from "./figure.ts";
import { type CrossingRound, measureCrossings } from "./measure-crossings.ts";
import { type LatencyRound, measureLatency } from "./measure-latency.ts";
import { type MemoryRound, measureMemory } from "./measure-memory.ts";
import { measureRate, type RateInput, type RateRound } from "./measure-rate.ts";
import { countEvents, measureAnswer } from "./probe.ts";
import type { Stage } from "./stage.ts";
import type { BenchDialect } from "./dialects.ts";

export type Findings = {
  figures: Figure[];
  rounds: { rate: RateRound[]; latency: LatencyRound[]; memory: MemoryRound[]; translated: CrossingRound[] };
};

const SEARCH_MS = 2_000;

/** Runs the phases that were asked for, in the order of the table. */
export async function runPhases(stage: Stage): Promise<Findings> {
  const { phases } = stage.options;
  const findings: Findings = { figures: [], rounds: { rate: [], latency: [], memory: [], translated: [] } };
  const eventsPerStream = await agreedEvents(stage, "chat");

  for (const [kind, latencyPhase] of [["plain", "latency"] as const, ["stream", "first-byte"] as const]) {
    const input: RateInput = { dialect: "chat", kind, eventsPerStream: kind === "stream" ? eventsPerStream : null };
    let rates: RateRound[] | null = null;
    if (phases.has(kind)) {
      const outcome = await measureRate(stage, input);
      findings.figures.push(...outcome.figures);
      findings.rounds.rate.push(...outcome.rounds);
      rates = outcome.rounds;
    }
    if (phases.has(latencyPhase)) {
      rates ??= await searchRate(stage, input);
      const outcome = await measureLatency(stage, { ...input, ratePerSecond: halfOfSlowest(rates) });
      findings.figures.push(...outcome.figures);
      findings.rounds.latency.push(...outcome.rounds);
    }
  }
  for (const dialect of ["responses", "messages"] as const) {
    if (!phases.has(dialect)) continue;
    const events = await agreedEvents(stage, dialect);
    for (const kind of ["plain", "stream"] as const) {
      const outcome = await measureRate(stage, { dialect, kind, eventsPerStream: kind === "stream" ? events : null });
      findings.figures.push(...outcome.figures);
      findings.rounds.rate.push(...outcome.rounds);
    }
  }
  if (phases.has("translated")) findings.rounds.translated.push(...(await measureCrossings(stage)));
  if (phases.has("memory")) {
    const outcome = await measureMemory(stage);
    findings.figures.push(...outcome.figures);
    findings.rounds.memory.push(...outcome.rounds);
  }
  return findings;
}

/** A proxy that loses or adds an event would be quicker for it, so all must deliver what the provider sends. */
async function agreedEvents(stage: Stage, dialect: BenchDialect): Promise<number> {
  const events = await countEvents(stage.direct, dialect);
  stage.progress(
    `${dialect}: the provider answers ${await measureAnswer(stage.direct, dialect)} bytes, or ${events} events`,
  );
  for (const proxy of stage.proxies) {
    const delivered = await countEvents(proxy, dialect);
    if (delivered !== events) throw new Error(`${proxy.name} delivers ${delivered} events of ${events}`);
    await measureAnswer(proxy, dialect);
  }
  return events;
}

async function searchRate(stage: Stage, input: RateInput): Promise<RateRound[]> {
  const options = { ...stage.options, rounds: 1, durationMs: SEARCH_MS };
  const { rounds } = await measureRate({ ...stage, options }, input);
  return rounds;
}

/** Half of what the slowest proxy bore in its median round. */
function halfOfSlowest(rounds: readonly RateRound[]): number {
  const medians = (["bare", "tollgate"] as const).flatMap((subject) => {
    const all = rounds.filter((round) => round.subject === subject);
    const valid = all.filter((round) => round.invalid === null);
    const rates = (valid.length > 0 ? valid : all).map((round) => round.requestsPerSecond);
    const median = rates.sort((left, right) => left - right)[Math.floor(rates.length / 2)];
    return median === undefined ? [] : [median];
  });
  return Math.max(1, Math.floor(Math.min(...medians) / 2));
}
