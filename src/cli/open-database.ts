import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/process-environment.ts";
import { requireSettings } from "../config/require-settings.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres.ts";

export const NO_DATABASE =
  "there is no database to talk to. Set DATABASE_URL, or run this beside a running `tollgate dev` (in the same folder).";

export function loadSettings(configFile: string | undefined): LoadedConfig {
  return loadConfig({ options: { config: configFile }, environment: processEnvironment() });
}

/** The PostgreSQL the settings name. */
export function openDatabase(loaded: LoadedConfig, onError: (error: Error) => void): Database {
  requireSettings(loaded, ["database.url"]);
  const { url, directUrl, poolSize, connectTimeoutMs, statementTimeoutMs } = loaded.config.database;
  return createPostgres({
    url: url?.reveal() ?? "",
    ...(directUrl ? { directUrl: directUrl.reveal() } : {}),
    poolSize,
    connectTimeoutMs,
    statementTimeoutMs,
    onError,
  });
}
