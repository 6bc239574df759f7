import type { Started } from "./processes.ts";

export type SubjectName = "direct" | "bare" | "tollgate";

/** Something that answers requests: the provider itself, or one of the two proxies in front of it. */
export type Subject = {
  name: SubjectName;
  /** Where the paths of the operations are appended. */
  origin: string;
  credential: string;
  models: { plain: string; stream: string; idle: string };
  /** Null for the provider, which nobody stops between rounds. */
  process: Started | null;
  /** Of the PostgreSQL behind it; null where there is none. */
  databasePid: number | null;
};

/** What the simulator is asked for, straight or through the bare proxy: a 600-byte answer, 100 events, one event a second. */
export const UPSTREAM_MODELS: Subject["models"] = {
  plain: "sim-bench+answer=600",
  stream: "sim-bench+tokens=97+flush=each",
  idle: "sim-bench+tokens=600+rate=1",
};
