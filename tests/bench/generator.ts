import type { LoadJob, LoadResult, Percentiles } from "./load-job.ts";

/** A load generator and the provider that answers it. */
export type LoadGenerator = {
  kind: "compiled" | "TypeScript";
  providerUrl: string;
  /** Opens the connections of a job. */
  prepare: (job: LoadJob) => Promise<PreparedJob>;
};

/** What has become of the streams that a job holds, since they were opened. */
export type Held = {
  /** Streams that ended or broke, and why the first one did. */
  lost: number;
  firstLoss: string;
  events: number;
  /** From the provider to the client; null where the generator cannot know. */
  delayMicros: Percentiles | null;
};

export type PreparedJob = {
  /** The processes that make up the generator and the provider. */
  pids: readonly number[];
  go: () => Promise<LoadResult>;
  /** Only after `go`, and only for `hold`. */
  look: () => Promise<Held>;
  close: () => Promise<void>;
};
