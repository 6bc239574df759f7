import type { GarbageMeter } from "./garbage-meter.ts";
import type { Started } from "./processes.ts";

export type Models = { plain: string; stream: string; idle: string };

/** Something that answers requests: the provider itself, or a gateway in front of it. */
export type Subject = {
  /** `direct`, `bare`, `tollgate`, `before`, or the name of a peer. */
  name: string;
  /** Where the paths of the operations are appended. */
  origin: string;
  /** Where operators ask; absent where there is no such place. */
  adminOrigin?: string;
  credential: string;
  /** Of a key below a team of an organisation, so that three counters are charged; absent where there is no such key. */
  chainCredential?: string;
  /** What every request to it carries besides. */
  headers: Record<string, string>;
  models: Models;
  /** Null for the provider, which is part of the load. */
  process: Started | null;
  /** Of the PostgreSQL behind it; null where there is none. */
  databasePid: number | null;
  /** Where it records requests, and where it notes what may have delayed them; absent where it does not. */
  databaseUrl?: string;
  tailFile?: string;
  /** Null where it does not run on Node. */
  garbage: GarbageMeter | null;
};

export const DIRECT = "direct";
export const BARE = "bare";
export const TOLLGATE = "tollgate";
export const BEFORE = "before";

/** What the provider is asked for, straight or through the bare proxy: a 600-byte answer, 100 events, one event a second. */
export const UPSTREAM_MODELS: Models = {
  plain: "sim-bench+answer=600",
  stream: "sim-bench+tokens=97+flush=each",
  idle: "sim-bench+tokens=600+rate=1",
};

/** The provider takes any credential. */
export const PROVIDER_CREDENTIAL = "bench";
