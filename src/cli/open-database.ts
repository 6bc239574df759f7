import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/process-environment.ts";
import { requireSettings } from "../config/require-settings.ts";
import type { Database } from "../db/database.ts";
import { createPostgres, type PostgresOptions } from "../db/postgres.ts";

export const NO_DATABASE =
  "no database is configured. Set DATABASE_URL, or run this in the folder of a running `tollgate dev`.";

export function loadSettings(configFile: string | undefined): LoadedConfig {
  return loadConfig({ options: { config: configFile }, environment: processEnvironment() });
}

type LineOptions = Pick<PostgresOptions, "strangers" | "onRefused" | "onMoved" | "onUnprepared">;

/**
 * The PostgreSQL the settings name. Commands may look at a server that does not have the books, as after a restore; what moves
 * money is refused there by the server itself.
 */
export function openDatabase(
  loaded: LoadedConfig,
  onError: (error: Error) => void,
  line: LineOptions = { strangers: "read" },
): Database {
  requireSettings(loaded, ["database.url"]);
  const { url, directUrl, poolSize, preparedStatements, connectTimeoutMs, statementTimeoutMs } = loaded.config.database;
  return createPostgres({
    url: url?.reveal() ?? "",
    ...(directUrl ? { directUrl: directUrl.reveal() } : {}),
    poolSize,
    preparedStatements,
    connectTimeoutMs,
    statementTimeoutMs,
    onError,
    ...line,
  });
}
