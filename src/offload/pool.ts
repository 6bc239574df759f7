import { Worker } from "node:worker_threads";
import { Fault } from "../core/fault.ts";
import type { JobName, JobResult, JobTask } from "./jobs.ts";
import { type JobReply, resultOf } from "./message.ts";
import { createWaitingLine } from "./waiting-line.ts";

export type PoolLimits = {
  threads: number;
  /** Jobs that wait for a thread, of all keys and of one. */
  waiting: { inAll: number; ofOne: number };
  /** How long a job may take before its thread is given up: a bound for what hangs, since a busy machine takes minutes for seconds of work. */
  deadlineMs: number;
};

export const POOL_LIMITS: Omit<PoolLimits, "threads"> = { waiting: { inAll: 256, ofOne: 32 }, deadlineMs: 120_000 };

export type Pool = {
  /** Does the job in a thread, when it is this payer's turn. */
  run: <Name extends JobName>(name: Name, task: JobTask<Name>, payer: string) => Promise<JobResult<Name>>;
  close: () => Promise<void>;
};

type Job = {
  name: JobName;
  task: unknown;
  answer: PromiseWithResolvers<unknown>;
};

type Thread = { worker: Worker; job: Job | null; timer: NodeJS.Timeout | null };

/** A body that makes so much of itself is not worth more; its thread dies of it, and not the process. */
const MOST_HEAP_MEBIBYTES = 1_024;

/** What there is a bill for already: to refuse to read or to count it would give away what it cost. */
const OWED: ReadonlySet<JobName> = new Set(["readPlain", "countTokens", "countInput"]);

/** In the published package this file is JavaScript, and so is that one. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./job-thread.ts" : "./job-thread.js", import.meta.url);

/** Threads for work that would keep the main one from everybody else. They are started when they are first needed. */
export function createPool({ threads: most, waiting, deadlineMs }: PoolLimits, random = Math.random): Pool {
  const line = createWaitingLine<Job>(waiting);
  const threads = new Set<Thread>();
  let closed = false;

  const busy = (): Fault =>
    new Fault("service_unavailable", "Too many large requests are being processed. Try again in a few seconds.", {
      retryAfterSeconds: 1 + Math.floor(random() * 3),
    });

  function start(): Thread {
    const worker = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEBIBYTES } });
    const thread: Thread = { worker, job: null, timer: null };
    threads.add(thread);
    worker.unref();
    worker.on("message", (reply: JobReply) => {
      finishJob(thread, reply);
      goOn();
    });
    worker.on("error", (cause) => lost(thread, cause));
    worker.on("exit", () => lost(thread, new Error("the thread has ended")));
    return thread;
  }

  /** What it was doing is lost with it; the next job starts another. */
  function lost(thread: Thread, cause: unknown): void {
    if (!threads.delete(thread)) return;
    failJob(thread, cause);
    goOn();
  }

  function free(): Thread | null {
    for (const thread of threads) if (thread.job === null) return thread;
    return threads.size < most && !closed ? start() : null;
  }

  function goOn(): void {
    for (let thread = free(); thread !== null; thread = free()) {
      const job = line.next();
      if (job === null) return;
      beginJob(thread, job, { deadlineMs, onLate: lost });
    }
  }

  return {
    run: (name, task, payer) => {
      const job: Job = { name, task, answer: Promise.withResolvers<unknown>() };
      const kind = OWED.has(name) ? "owed" : "asked";
      if (closed || !line.add(payer, job, kind)) return Promise.reject(busy());
      goOn();
      return job.answer.promise as Promise<JobResult<typeof name>>;
    },
    close: async () => {
      closed = true;
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

type Deadline = { deadlineMs: number; onLate: (thread: Thread, cause: Error) => void };

function beginJob(thread: Thread, job: Job, { deadlineMs, onLate }: Deadline): void {
  const { worker } = thread;
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
    worker.postMessage({ name: job.name, task: job.task });
  } catch (error) {
    // What cannot be sent is a bug, and that of one job.
    job.answer.reject(error);
    return;
  }
  thread.job = job;
  thread.timer = setTimeout(() => {
    onLate(thread, new Error(`${job.name} took longer than ${deadlineMs} ms`));
    void worker.terminate();
  }, deadlineMs);
}

function finishJob(thread: Thread, reply: JobReply): void {
  const { job } = thread;
  clearTimeout(thread.timer ?? undefined);
  thread.job = null;
  try {
    job?.answer.resolve(resultOf(reply));
  } catch (error) {
    job?.answer.reject(error);
  }
}

function failJob({ job, timer }: Thread, cause: unknown): void {
  clearTimeout(timer ?? undefined);
  const message = "This request can't be processed right now. Try again in a few seconds.";
  job?.answer.reject(new Fault("service_unavailable", message, { retryAfterSeconds: 1, cause }));
}
