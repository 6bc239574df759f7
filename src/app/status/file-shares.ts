import type { Config } from "../../config/load-config.ts";
import { openFileLimit } from "../../doctor/host.ts";

/** The program, its threads, its log and what else is open for a moment. */
const OWN_FILES = 64;

/**
 * How many files may be open for a listener to accept one more connection. The rest is for connections to providers and to the database,
 * at most half of all; operators may use half of that rest, so that they see what is wrong. Without a limit there is nothing to divide.
 */
export function fileShares({ upstream, database, operator }: Config, limit = openFileLimit() ?? Infinity) {
  const needed = upstream.connectionsPerOrigin + database.poolSize + operator.connections + OWN_FILES;
  const kept = Math.min(Math.floor(limit / 2), needed);
  return { limit, public: limit - kept, admin: limit - Math.floor(kept / 2) };
}
