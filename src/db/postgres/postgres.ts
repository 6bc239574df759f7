import { callbackify } from "node:util";
import { Pool } from "pg";
import { createId } from "../../core/ids.ts";
import { connectionLost, DatabaseBusyError, unconnected } from "../database-error.ts";
import { type Database, LINE, type Queryable, type Subscription, type Transaction } from "../database.ts";
import { findPrimary } from "./find-primary.ts";
import { createFollowLine } from "../line/follow-line.ts";
import { splitHosts } from "./host-list.ts";
import { listenOnPostgres } from "./postgres-listen.ts";
import { clientSettings, createClientClass, type PrimaryClient, sendScript } from "./postgres-client.ts";
import { withinPingTimeout } from "./ping-timeout.ts";
import { readServerFacts } from "./read-server-facts.ts";
import { createPreparedStatements, type PreparedMode } from "./prepared-statements.ts";
import type { Primary } from "../line/primary.ts";
import { createServerLine } from "../line/server-line.ts";
import { runTransaction } from "../transaction.ts";

export type PostgresOptions = {
  /** May list several hosts; the one that takes writes is used. */
  url: string;
  /** Past a pooler, where LISTEN works; the same as `url` when absent. */
  directUrl?: string;
  poolSize: number;
  /** How long a caller waits for a connection, whether it must be made or is in use. */
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** The name of its sessions at the server; `tollgate` unless told. */
  applicationName?: string;
  /** Callers that may wait for a connection; more are refused. A hundred for each connection unless told. */
  waitingLimit?: number;
  /**
   * Whose time limits hold behind a pooler, which runs the next call in another session. `role`: those of the role. `own`: ours, told in
   * the transaction of each call, so that they hold for this pool and for nobody who uses the session after it.
   */
  pooledLimits?: "role" | "own";
  /** Whether statements that are sent often are prepared; `auto` unless told otherwise. */
  preparedStatements?: PreparedMode;
  /** Hears once that they are not prepared any longer, since something between us and the server does not carry them. */
  onUnprepared?: (error: Error) => void;
  /** Hears of connections that broke while nobody used them. */
  onError: (error: Error) => void;
  /** What becomes of servers that have lost the books or never had them: see `server-line.ts`. Refused unless told otherwise. */
  strangers?: "refused" | "read";
  /** Hears of servers that answer, take writes and are not used. May be called for every try. */
  onRefused?: (error: Error) => void;
  /** Hears that the books are on a higher timeline than before. */
  onMoved?: (move: { from: number; to: number }) => void;
  random?: () => number;
  /** Hears how long each caller waited for a connection, on a clock of durations; absent, nobody does. */
  waits?: ConnectionWaits | undefined;
  /** How often it is tried whether notifications arrive, and how long one may take. */
  listenCheck?: { everyMs: number; withinMs: number };
};

export type ConnectionWaits = { elapsedMs: () => number; waited: (elapsedMs: number) => void };

/** Callers that may wait per connection. Past it the database is not slow but stuck, and a refusal is kinder. */
const WAITING_PER_CONNECTION = 100;
/**
 * How often the hosts of a list are asked whether another one leads, though nothing has failed. Without a synchronous standby, what an
 * old primary books until then is lost with it.
 */
const WATCH_MS = 1_000;

/** A PostgreSQL server, or the primary among several. */
export function createPostgres(options: PostgresOptions): Database {
  const urls = splitHosts(options.url);
  const finding = withLine(options);
  const primary = findPrimary(urls, finding);
  const follow = createFollowLine({ pooledLimits: "role", ...finding, ...sessionLimits(options), primary });
  const pool = createPool(options, { Client: createClientClass(primary), verify: follow.prepare });
  const watch = urls.length > 1 ? watchOften(primary) : null;
  pool.on("error", (error, client) => {
    if (connectionLost(error)) primary.doubt(generationOf(client));
    options.onError(error);
  });

  const borrow = createBorrow({ pool, primary, hosts: urls.length, ...options });
  const statements = preparedStatementsOf(options);
  const transact = createTransact(follow, options);
  const query: Queryable["query"] = (sql, values, how) =>
    borrow(async (client, discard) => {
      if (follow.limitsAreTold(client)) return transact(client, discard, (tx) => tx.query(sql, values));
      const name = how?.prepared ? statements.nameFor(client, sql) : null;
      try {
        return await follow.send(client, { sql, values, name });
      } catch (error) {
        const blame = name === null ? null : statements.blame(error);
        if (blame === null) throw error;
        // The next connection begins without what this one remembers.
        if (blame === "outdated") discard();
        return follow.send(client, { sql, values });
      }
    });
  const notify = (channel: string, payload: string) => query("select pg_notify($1, $2)", [channel, payload]);
  const subscriptions = createSubscriptions({ ...finding, notify });
  let closing: Promise<void> | null = null;

  return {
    query,
    script: (sql) => borrow((client) => sendScript(client, sql)),
    transaction: (work) => borrow((client, discard) => transact(client, discard, work)),
    listen: subscriptions.listen,
    inspect: () => borrow((client) => readServerFacts(client, sessionLimits(options))),
    connections: () => ({
      most: options.poolSize,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    ping: () =>
      withinPingTimeout(
        finding.line.followed() === null ? query("select 1") : query(COULD_ADMIT, [LINE, createId(Date.now())]),
      ),
    close: () => {
      if (watch !== null) clearInterval(watch);
      closing ??= subscriptions.close().then(() => pool.end());
      return closing;
    },
  };
}

type Lending = Pick<PostgresOptions, "poolSize" | "waitingLimit" | "waits"> & {
  pool: Pool;
  primary: Primary;
  hosts: number;
};

/** Lends a connection and takes it back; one that is lost is thrown away and makes us look for the primary again. */
function createBorrow({ pool, primary, hosts, poolSize, waitingLimit: given, waits }: Lending) {
  const waitingLimit = given ?? poolSize * WAITING_PER_CONNECTION;
  const acquire = async (): Promise<PrimaryClient> => {
    const sinceMs = waits?.elapsedMs() ?? 0;
    const tellWait = (): void => waits?.waited(waits.elapsedMs() - sinceMs);
    for (let failures = 0; ;) {
      if (pool.waitingCount >= waitingLimit) {
        throw new DatabaseBusyError(`${pool.waitingCount} callers already wait for a database connection`);
      }
      await primary.found();
      const generation = primary.generation();
      try {
        const client = (await pool.connect()) as unknown as PrimaryClient;
        if (client.generation === primary.generation()) {
          tellWait();
          return client;
        }
        client.release(true);
      } catch (error) {
        if (isPoolTimeout(error)) {
          tellWait();
          throw new DatabaseBusyError("no database connection became free in time", { cause: error });
        }
        primary.doubt(generation);
        failures += 1;
        // Nothing was sent yet, so a second try on another host is safe; on the same host it is the caller's decision.
        if (failures > 1 || hosts === 1) throw unconnected(error);
      }
    }
  };

  return async <T>(work: (client: PrimaryClient, discard: () => void) => Promise<T>): Promise<T> => {
    const client = await acquire();
    let broken = false;
    const discard = () => {
      broken = true;
    };
    try {
      return await work(client, discard);
    } catch (error) {
      if (connectionLost(error)) {
        broken = true;
        primary.doubt(client.generation);
      }
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

const createTransact =
  (follow: ReturnType<typeof createFollowLine>, options: PostgresOptions) =>
  <T>(client: PrimaryClient, discard: () => void, work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const script = (sql: string): Promise<void> => sendScript(client, sql);
    const query: Queryable["query"] = (sql, values) => follow.send(client, { sql, values });
    return runTransaction({ query, script, discard }, async (tx) => {
      if (follow.limitsAreTold(client)) await tx.script(SET_LIMITS(sessionLimits(options)));
      return work(tx);
    });
  };

type Listening = ReturnType<typeof withLine> & Pick<Parameters<typeof listenOnPostgres>[0], "notify">;

/** Subscriptions that have not been closed. */
function createSubscriptions(listening: Listening) {
  const open = new Set<Subscription>();
  const listen: Database["listen"] = async (channels, listener) => {
    const check = listening.listenCheck && { check: listening.listenCheck };
    const subscription = await listenOnPostgres({ ...listening, ...check, channels, listener });
    open.add(subscription);
    return {
      close: () => {
        open.delete(subscription);
        return subscription.close();
      },
    };
  };
  return { listen, close: () => Promise.all([...open].map((subscription) => subscription.close())) };
}

/** One look at a time: a host that swallows packets is waited for longer than the interval. */
function watchOften(primary: Primary): NodeJS.Timeout {
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    await primary.watch().finally(() => {
      looking = false;
    });
  };
  return setInterval(() => void look(), WATCH_MS).unref();
}

/** Where there is a line, a health check asks whether money could move: on this server, and with ids that are made now. */
const COULD_ADMIT = "select on_line_v1($1::uuid, 1), require_recent($2::uuid, $2::uuid, ledger_now())";

function withLine(options: PostgresOptions) {
  const { onRefused = () => undefined, onMoved = () => undefined, strangers = "refused" } = options;
  return { ...options, onRefused, line: createServerLine({ strangers, onMoved }) };
}

const preparedStatementsOf = ({ preparedStatements, onUnprepared }: PostgresOptions) =>
  createPreparedStatements({ mode: preparedStatements ?? "auto", onGivenUp: onUnprepared ?? (() => undefined) });

function createPool(
  options: PostgresOptions,
  parts: { Client: ReturnType<typeof createClientClass>; verify: (client: PrimaryClient) => Promise<void> },
): Pool {
  return new Pool({
    ...clientSettings(options),
    max: options.poolSize,
    // The pool builds its clients with the settings above, which the declared type of this option leaves out.
    Client: parts.Client as unknown as new () => PrimaryClient,
    verify: callbackify((client: unknown) => parts.verify(client as PrimaryClient)),
  });
}

const SET_LIMITS = ({ statementTimeoutMs, idleTransactionTimeoutMs }: ReturnType<typeof sessionLimits>): string =>
  `set local statement_timeout = ${statementTimeoutMs}; set local idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs}`;

const sessionLimits = ({ statementTimeoutMs }: PostgresOptions) => ({
  statementTimeoutMs,
  idleTransactionTimeoutMs: statementTimeoutMs * 2,
});

const generationOf = (client: unknown): number => (client as PrimaryClient).generation;

const isPoolTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";
