import { setTimeout as pause } from "node:timers/promises";
import { type CoreShares, coreSharesOf } from "./core-shares.ts";
import type { BenchDialect } from "./dialects.ts";
import type { Garbage } from "./garbage-meter.ts";
import type { PreparedJob } from "./generator.ts";
import { type LoadJob, type LoadResult, requestBytes, tagOffsetIn } from "./load-job.ts";
import type { Stage } from "./stage.ts";
import type { Subject } from "./subject.ts";
import { usageOf, type Usage, usedBetween } from "./usage.ts";

export type Kind = "plain" | "stream";

/** What a correct answer of a subject looks like. */
export type Expected = Pick<LoadJob, "eventsPerStream" | "leastBytes">;

export type SliceRequest = Pick<LoadJob, "mode"> &
  Partial<Pick<LoadJob, "ratePerSecond" | "durationMs" | "connections" | "atOnce" | "mostRequests">> & {
    dialect: BenchDialect;
    kind: Kind;
    model: string;
    expected: Expected;
  };

/** A short measurement of one subject. */
export type Slice = { result: LoadResult; used: Usage; shares: CoreShares; garbage: Garbage | null };

export async function measureSlice(stage: Stage, subject: Subject, request: SliceRequest): Promise<Slice> {
  const job = await stage.generator.prepare(jobFor(stage, subject, request));
  try {
    await subject.garbage?.read(subject.process?.pid ?? 0);
    return await runPrepared({ stage, subject, job, durationMs: request.durationMs ?? stage.options.sliceMs });
  } finally {
    await job.close();
  }
}

/** Opens streams and measures that; they stay open until they are released. */
export async function holdStreams(
  stage: Stage,
  subject: Subject,
  { streams, ...how }: { streams: number; atOnce: number; ratePerSecond?: number },
): Promise<{ slice: Slice; loadPids: readonly number[]; look: PreparedJob["look"]; release: PreparedJob["close"] }> {
  const job = await stage.generator.prepare(
    jobFor(stage, subject, {
      mode: "hold",
      dialect: "chat",
      kind: "stream",
      model: subject.models.idle,
      expected: { eventsPerStream: null, leastBytes: 0 },
      connections: streams,
      ...how,
    }),
  );
  return {
    slice: await runPrepared({ stage, subject, job, durationMs: null }),
    loadPids: job.pids,
    look: job.look,
    release: job.close,
  };
}

/** `durationMs`: until no more requests are sent; null: all are sent at once. */
type Prepared = { stage: Stage; subject: Subject; job: PreparedJob; durationMs: number | null };

/**
 * Costs are counted until the last answer is there, as are the answers. Shares of the cores are those until the time is up:
 * while the last answers come in, nobody is busy.
 */
async function runPrepared({ stage, subject, job, durationMs }: Prepared): Promise<Slice> {
  const subjectPid = subject.process?.pid ?? null;
  const watched = { subjectPid, databasePid: subject.databasePid, loadPids: job.pids, cores: stage.processes.cores };
  const before = usageOf(watched);
  const startedMs = performance.now();
  const running = job.go();
  if (durationMs === null) await running;
  else await Promise.race([pause(durationMs), running]);
  const timeUp = usageOf(watched);
  const elapsedMs = performance.now() - startedMs;
  const result = await running;
  const used = usedBetween(before, usageOf(watched));
  const garbage = subjectPid === null || subject.garbage === null ? null : await subject.garbage.read(subjectPid);
  return { result, used, shares: coreSharesOf(usedBetween(before, timeUp), elapsedMs), garbage };
}

function jobFor({ options }: Stage, subject: Subject, request: SliceRequest): LoadJob {
  const { origin, credential, headers } = subject;
  const { dialect, model, expected, kind, ...rest } = request;
  const bytes = requestBytes({ origin, credential, headers, dialect, model, streamed: kind === "stream" });
  return {
    port: Number(new URL(origin).port),
    request: bytes.toString("base64"),
    tagOffset: tagOffsetIn(bytes),
    connections: options.connections,
    ratePerSecond: 0,
    durationMs: options.sliceMs,
    atOnce: 0,
    mostRequests: 0,
    ...expected,
    ...rest,
  };
}
