import { createHash } from "node:crypto";
import { sqlStateOf } from "../database-error.ts";

/** `auto`: on connections that lead to the server itself. `on`: on all, as behind a pooler that carries them. */
export type PreparedMode = "auto" | "on" | "off";

/**
 * Statements that a connection parses and plans once and is then told by name. A pooler in transaction mode that knows nothing of
 * them sends a name to a session that has never heard it, or has heard it from somebody else.
 */
export type PreparedStatements = {
  /** The name by which a connection may know a statement; null: it is sent whole. */
  nameFor: (client: { isDirect: boolean }, sql: string) => string | null;
  /**
   * What a failure says about the name, when it is about the name. `foreign`: names do not work here, and are not used again.
   * `outdated`: the connection remembers the statement as it was before a migration. The statement did nothing in either case.
   */
  blame: (error: unknown) => "foreign" | "outdated" | null;
};

/** The session does not know the name; or knows it from somebody else. */
const FOREIGN = new Set(["26000", "42P05"]);
const FEATURE_NOT_SUPPORTED = "0A000";
const OUTDATED = "cached plan must not change result type";

export function createPreparedStatements(options: {
  mode: PreparedMode;
  onGivenUp: (error: Error) => void;
}): PreparedStatements {
  const { mode, onGivenUp } = options;
  const names = new Map<string, string>();
  let inUse = mode !== "off";
  return {
    nameFor: (client, sql) => {
      if (!inUse || (mode === "auto" && !client.isDirect)) return null;
      const name = names.get(sql) ?? nameOf(sql);
      names.set(sql, name);
      return name;
    },
    blame: (error) => {
      const state = sqlStateOf(error);
      if (state === null || !(error instanceof Error)) return null;
      if (state === FEATURE_NOT_SUPPORTED && error.message === OUTDATED) return "outdated";
      if (!FOREIGN.has(state)) return null;
      if (inUse) onGivenUp(error);
      inUse = false;
      return "foreign";
    },
  };
}

/** Made of the text, so that no two statements of any two versions share one, whoever's session they meet in. */
const nameOf = (sql: string): string => `tollgate_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
