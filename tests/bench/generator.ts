import type { LoadJob, LoadResult } from "./load-job.ts";

/** A load generator and the provider that answers it. */
export type LoadGenerator = {
  kind: "compiled" | "TypeScript";
  providerUrl: string;
  /** Opens the connections of a job. */
  prepare: (job: LoadJob) => Promise<PreparedJob>;
};

export type PreparedJob = {
  /** The processes that make up the generator and the provider. */
  pids: readonly number[];
  go: () => Promise<LoadResult>;
  close: () => Promise<void>;
};
