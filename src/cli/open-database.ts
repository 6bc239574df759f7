import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/read/process-environment.ts";
import { requireSettings } from "../config/require-settings.ts";
import type { Database } from "../db/database.ts";
import { createPostgres, type PostgresOptions } from "../db/postgres/postgres.ts";
import { CommandError } from "./report-failure.ts";

export const NO_DATABASE =
  "no gateway and no database are configured. Set TOLLGATE_URL and TOLLGATE_TOKEN, or DATABASE_URL, or run this in the folder of a running `tollgate dev`.";
/** Tables are made and moved, servers are compared and processes are started there; no API does that. */
const NEEDS_DATABASE =
  "this command works on the database itself, which no API does for it. Set DATABASE_URL; TOLLGATE_URL is not used.";

export function loadSettings(configFile: string | undefined): LoadedConfig {
  return loadConfig({ options: { config: configFile }, environment: processEnvironment() });
}

type LineOptions = Pick<PostgresOptions, "strangers" | "onRefused" | "onMoved" | "onUnprepared" | "waits">;

/**
 * The same PostgreSQL for the operator's plane: few connections and short statements of its own, so that what operators ask never keeps
 * a generation waiting for a connection.
 */
export function openOperatorDatabase(
  loaded: LoadedConfig,
  onError: (error: Error) => void,
  line: Pick<LineOptions, "strangers" | "onRefused" | "waits">,
): Database {
  const { connections, statementTimeoutMs, queue } = loaded.config.operator;
  return createPostgres({
    ...postgresOptions(loaded),
    poolSize: connections,
    statementTimeoutMs,
    waitingLimit: queue,
    pooledLimits: "own",
    applicationName: "tollgate-operator",
    onError,
    ...line,
  });
}

/**
 * The PostgreSQL the settings name. Commands may look at a server that does not have the books, as after a restore; what moves
 * money is refused there by the server itself.
 */
export function openDatabase(
  loaded: LoadedConfig,
  onError: (error: Error) => void,
  line: LineOptions = { strangers: "read" },
): Database {
  return createPostgres({ ...postgresOptions(loaded), onError, ...line });
}

function postgresOptions(loaded: LoadedConfig) {
  if (loaded.config.database.url === null && loaded.config.cli.url !== null) throw new CommandError(NEEDS_DATABASE);
  requireSettings(loaded, ["database.url"]);
  const { url, directUrl, poolSize, preparedStatements, connectTimeoutMs, statementTimeoutMs } = loaded.config.database;
  return {
    url: url?.reveal() ?? "",
    ...(directUrl ? { directUrl: directUrl.reveal() } : {}),
    poolSize,
    preparedStatements,
    connectTimeoutMs,
    statementTimeoutMs,
  };
}
