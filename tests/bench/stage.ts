import { join } from "node:path";
import type { LoadJob, LoadResult } from "./load-job.ts";
import type { BenchOptions } from "./options.ts";
import type { Processes } from "./processes.ts";
import type { Provider } from "./start-subjects.ts";
import type { Subject, SubjectName } from "./subject.ts";

/** Everything a phase needs to measure. */
export type Stage = {
  options: BenchOptions;
  processes: Processes;
  provider: Provider;
  direct: Subject;
  /** The bare proxy first, then Tollgate unless it is left out. */
  proxies: readonly Subject[];
  /** A new process of the same kind: memory is only comparable between processes that have done nothing yet. */
  restart: (name: SubjectName) => Promise<Subject>;
  progress: (text: string) => void;
  /** Stops the database, once nobody uses it any more. */
  close: () => Promise<void>;
};

export type LoadRequest = Pick<LoadJob, "mode" | "model" | "streamed" | "eventsPerStream"> &
  Partial<Pick<LoadJob, "dialect" | "ratePerSecond" | "durationMs" | "connections">>;

export const CONNECTIONS = 64;
const LOAD_ENTRY = join(import.meta.dirname, "load.ts");

/** The whole job for the generator's command line. */
export function jobFor(stage: Stage, subject: Subject, request: LoadRequest): LoadJob {
  const { options, provider, processes } = stage;
  return {
    origin: subject.origin,
    dialect: "chat",
    credential: subject.credential,
    connections: CONNECTIONS,
    ratePerSecond: 0,
    warmupMs: options.warmupMs,
    durationMs: options.durationMs,
    watch: {
      proxyPid: subject.process?.pid ?? null,
      providerPid: provider.pid,
      databasePid: subject.databasePid,
      cores: processes.cores,
    },
    ...request,
  };
}

/** Runs the generator once. An answer that fails makes the whole figure worthless, since refusals are quick. */
export async function runLoad(stage: Stage, subject: Subject, request: LoadRequest): Promise<LoadResult> {
  const job = jobFor(stage, subject, request);
  const load = stage.processes.start({ words: [LOAD_ENTRY, JSON.stringify(job)], role: "load" });
  const result = JSON.parse(await load.firstLine) as LoadResult;
  await load.ended;
  if (result.failures > 0) {
    throw new Error(
      `${subject.name}: ${result.failures} of ${result.requests} failed, the first with ${result.firstFailure}`,
    );
  }
  return result;
}

/** Opens streams and gives the way to close them; they are all open when this resolves. */
export async function runHold(
  stage: Stage,
  subject: Subject,
  streams: number,
): Promise<{ release: () => Promise<void> }> {
  const job = jobFor(stage, subject, {
    mode: "hold",
    model: subject.models.idle,
    streamed: "yes",
    eventsPerStream: null,
    connections: streams,
  });
  const load = stage.processes.start({ words: [LOAD_ENTRY, JSON.stringify(job)], role: "load" });
  await load.firstLine;
  return {
    release: async () => {
      load.closeInput();
      await load.ended;
    },
  };
}
