import type { Config } from "../../config/load-config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Overhear } from "../../core/request/overhear.ts";
import type { Credentials } from "../../credentials/open-credentials.ts";
import type { Database } from "../../db/database.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";

/** A database with the accounts, keys and books of some buckets, from the first to the last. */
export type LedgerDatabase = { first: number; last: number; database: Database };

/** What the parts of a gateway process are made from. */
export type ProcessParts = {
  config: Config;
  adminToken: string;
  database: Database;
  /** The same one for the operator's plane, on connections and under limits of its own. No generation uses it. */
  operatorDatabase: Database;
  /** Where money and keys are, by bucket. */
  ledgers: readonly LedgerDatabase[];
  credentials: Credentials;
  events: Events;
  metrics: Metrics;
  clock: Clock;
  random: () => number;
  /** Listens to the calls to providers; absent, nobody does. */
  overhear?: Overhear | undefined;
};
