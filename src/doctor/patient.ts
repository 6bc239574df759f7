import type { Config } from "../config/load-config.ts";
import { invariant } from "../core/invariant.ts";
import type { Database } from "../db/database.ts";
import type { ServerLook } from "../db/line/look-at-servers.ts";
import type { Host } from "./host.ts";
import type { WayIn } from "./way-in.ts";

/** A model of the catalogue. `obstacles`: why clients cannot use it, in words. */
export type ExaminedModel = { id: string; published: boolean; obstacles: readonly string[] };

/** How a provider answered one call that costs nothing. */
export type ReachedProvider = {
  name: string;
  baseUrl: string;
  /** Whether clients may ask for a model that has a route there. */
  published: boolean;
  /** Why its credential cannot be had, in words without it; null when it can. */
  credentialProblem: string | null;
  /** The status of its list of models; null when it did not answer. */
  status: number | null;
  /** Why it did not answer; null when it did. */
  problem: string | null;
};

/** What a gateway says at `/healthz`. */
export type GatewayWord = { status: "ok" | "degraded" | "unavailable"; reasons: readonly string[] };

/** An installation, as far as it can be looked at from here. */
export type Patient = {
  host: Host;
  /** Processes per host, as `serve --workers` is told. */
  workers: number;
  /** Null when the settings cannot be read. */
  config: Config | null;
  settingsProblem: Error | null;
  /** The settings file that was read, or null. */
  settingsFile: string | null;
  /** Files that hold secrets of the settings. */
  secretFiles: readonly string[];
  /** True beside a running `tollgate dev`, whose database is inside its process. */
  isDev: boolean;
  /** Asks every listed server of the database. */
  lookAtServers: () => Promise<readonly ServerLook[]>;
  database: Database | null;
  schemaFolder: string;
  listModels: () => Promise<readonly ExaminedModel[]>;
  /** Calls every provider at once, for nothing. Null where it cannot be done from here. */
  reachProviders: (() => Promise<readonly ReachedProvider[]>) | null;
  /** What the gateway that runs with these settings says of itself; null: none answers. */
  askGateway: () => Promise<GatewayWord | null>;
  /** Null without `--url`. */
  wayIn: WayIn | null;
  /** How long a silent response through the proxy is waited for; 0: not at all. */
  silenceMs: number;
  /** An error in the words for operators. */
  explain: (error: unknown) => string;
  nowMs: () => number;
};

/** For checks that come after the settings were read. */
export function configOf({ config }: Pick<Patient, "config">): Config {
  invariant(config, "checks of settings come after these were read");
  return config;
}

/** For checks that come after the database answered. */
export function databaseOf({ database }: Pick<Patient, "database">): Database {
  invariant(database, "checks of a database come after it answered");
  return database;
}

/** For checks that come after the gateway answered through its public address. */
export function wayInOf({ wayIn }: Pick<Patient, "wayIn">): WayIn {
  invariant(wayIn, "checks of the proxy come after it answered");
  return wayIn;
}
