import { LineRefusedError, NotPrimaryError } from "../database-error.ts";
import { LINE, type Queryable } from "../database.ts";
import { hostOf } from "../postgres/host-list.ts";
import { isPooled, type PrimaryClient, processOf, send } from "../postgres/postgres-client.ts";
import type { Primary } from "./primary.ts";
import { enterLine, IS_BOOKED, readStanding } from "./line-store.ts";
import { hasTheBooks, type Line, markOf, type ServerLine } from "./server-line.ts";

type FollowOptions = {
  line: ServerLine;
  primary: Primary;
  statementTimeoutMs: number;
  idleTransactionTimeoutMs: number;
  pooledLimits: "role" | "own";
  onRefused: (error: LineRefusedError) => void;
};

/** With a name, the connection remembers it. */
type Statement = { sql: string; values?: readonly unknown[] | undefined; name?: string | null };

/** What a connection must be asked before it is used, and with each call that moves money. */
export type FollowLine = {
  /** Sets up a new connection. Throws when its server is a standby or must not be used. */
  prepare: (client: PrimaryClient) => Promise<void>;
  /** Sends a statement, with the mark of the line in the place of `LINE`. */
  send: <Row>(client: PrimaryClient, statement: Statement) => Promise<Row[]>;
  /** Whether each transaction on this connection has to be told its time limits, since its session was not. */
  limitsAreTold: (client: PrimaryClient) => boolean;
};

export function createFollowLine(options: FollowOptions): FollowLine {
  const { line, primary, onRefused } = options;
  /** Follows the line of the server at the other end; null for a server that may only be read. */
  const join = async (client: PrimaryClient): Promise<Line | null> => {
    const ask: Queryable["query"] = (sql, values) => send(client, sql, values);
    const standing = await readStanding(ask, true);
    try {
      line.require(hostOf(primary.url()), standing);
    } catch (error) {
      if (error instanceof LineRefusedError) onRefused(error);
      throw error;
    }
    if (!hasTheBooks(standing)) return null;
    const before = line.followed();
    const { identifier, timeline } = standing;
    const joined = { identifier, timeline, mark: markOf(standing) ?? (await enterLine(ask)) };
    line.follow(joined);
    // Other connections still lead to the server of before.
    if (before !== null && before.timeline < timeline) primary.doubt(client.generation);
    return joined;
  };

  return {
    prepare: async (client) => {
      if (await prepareSession(client, options)) await join(client);
    },
    send: async (client, { sql, values = [], name = null }) => {
      if (!values.includes(LINE)) return send(client, sql, values, name);
      // A process that has just migrated the database has not met a line yet.
      const mark = (line.followed() ?? (await join(client)))?.mark ?? null;
      return send(
        client,
        sql,
        values.map((value) => (value === LINE ? mark : value)),
        name,
      );
    },
    limitsAreTold: (client) => options.pooledLimits === "own" && !client.isDirect,
  };
}

/**
 * One round trip; answers whether the database keeps the line of its servers. The settings are made here rather than at startup
 * because poolers refuse unknown startup parameters.
 */
async function prepareSession(
  client: PrimaryClient,
  { statementTimeoutMs, idleTransactionTimeoutMs, pooledLimits }: FollowOptions,
): Promise<boolean> {
  // Null where the session's limits are ours to set whatever it is; else the process that the session must then be.
  const onlyAs = pooledLimits === "own" ? processOf(client) : null;
  const [row] = await send<{ standby: boolean; booked: boolean; pid: number }>(
    client,
    `select pg_is_in_recovery() as standby, pg_backend_pid() as pid, ${IS_BOOKED} as booked,
            case when coalesce($3::int, pg_backend_pid()) = pg_backend_pid() then set_config('statement_timeout', $1, false) end,
            case when coalesce($3::int, pg_backend_pid()) = pg_backend_pid()
                 then set_config('idle_in_transaction_session_timeout', $2, false) end,
            set_config('datestyle', 'ISO', false), set_config('default_transaction_isolation', 'read committed', false)`,
    [statementTimeoutMs, idleTransactionTimeoutMs, onlyAs],
  );
  if (row?.standby !== false) throw new NotPrimaryError("the database server is a standby");
  client.isDirect = !isPooled(client, row.pid);
  return row.booked;
}
