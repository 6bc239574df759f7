import { callbackify } from "node:util";
import { Pool } from "pg";
import { connectionLost, DatabaseBusyError, NotPrimaryError } from "./database-error.ts";
import type { Database, Queryable, Subscription } from "./database.ts";
import { splitHosts } from "./host-list.ts";
import { listenOnPostgres } from "./postgres-listen.ts";
import {
  clientSettings,
  createClientClass,
  inRecovery,
  type PrimaryClient,
  send,
  sendScript,
} from "./postgres-client.ts";
import { withinPingTimeout } from "./ping-timeout.ts";
import { createPrimary } from "./primary.ts";
import { readServerFacts } from "./read-server-facts.ts";
import { runTransaction } from "./transaction.ts";

export type PostgresOptions = {
  /** May list several hosts; the one that takes writes is used. */
  url: string;
  /** Past a pooler, where LISTEN works; the same as `url` when absent. */
  directUrl?: string;
  poolSize: number;
  /** How long a caller waits for a connection, whether it must be made or is in use. */
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Hears of connections that broke while nobody used them. */
  onError: (error: Error) => void;
  random?: () => number;
  /** How often it is tried whether notifications arrive, and how long one may take. */
  listenCheck?: { everyMs: number; withinMs: number };
};

/** Callers that may wait per connection. Past it the database is not slow but stuck, and a refusal is kinder. */
const WAITING_PER_CONNECTION = 100;

/** A PostgreSQL server, or the primary among several. */
export function createPostgres(options: PostgresOptions): Database {
  const urls = splitHosts(options.url);
  const primary = createPrimary({ urls, inRecovery: (url) => inRecovery(url, options) });
  const pool = createPool(options, createClientClass(primary));
  pool.on("error", (error, client) => {
    if (connectionLost(error)) primary.doubt(generationOf(client));
    options.onError(error);
  });

  const acquire = async (): Promise<PrimaryClient> => {
    for (let failures = 0; ;) {
      if (pool.waitingCount >= options.poolSize * WAITING_PER_CONNECTION) {
        throw new DatabaseBusyError(`${pool.waitingCount} callers already wait for a database connection`);
      }
      await primary.found();
      const generation = primary.generation();
      try {
        const client = (await pool.connect()) as unknown as PrimaryClient;
        if (client.generation === primary.generation()) return client;
        client.release(true);
      } catch (error) {
        if (isPoolTimeout(error))
          throw new DatabaseBusyError("no database connection became free in time", { cause: error });
        primary.doubt(generation);
        failures += 1;
        // Nothing was sent yet, so a second try on another host is safe; on the same host it is the caller's decision.
        if (failures > 1 || urls.length === 1) throw error;
      }
    }
  };

  /** Lends a connection and takes it back; one that is lost is thrown away and makes us look for the primary again. */
  const borrow = async <T>(work: (client: PrimaryClient, discard: () => void) => Promise<T>): Promise<T> => {
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

  const query: Queryable["query"] = (sql, values) => borrow((client) => send(client, sql, values));
  const subscriptions = new Set<Subscription>();
  let closing: Promise<void> | null = null;

  return {
    query,
    script: (sql) => borrow((client) => sendScript(client, sql)),
    transaction: (work) =>
      borrow((client, discard) =>
        runTransaction(
          { query: (sql, values) => send(client, sql, values), script: (sql) => sendScript(client, sql), discard },
          work,
        ),
      ),
    listen: async (channels, listener) => {
      const subscription = await listenOnPostgres({
        ...options,
        ...(options.listenCheck && { check: options.listenCheck }),
        notify: (channel, payload) => query("select pg_notify($1, $2)", [channel, payload]),
        channels,
        listener,
      });
      subscriptions.add(subscription);
      return {
        close: () => {
          subscriptions.delete(subscription);
          return subscription.close();
        },
      };
    },
    inspect: () => borrow((client) => readServerFacts(client, sessionLimits(options))),
    ping: () => withinPingTimeout(query("select 1")),
    close: () => {
      closing ??= Promise.all([...subscriptions].map((subscription) => subscription.close())).then(() => pool.end());
      return closing;
    },
  };
}

function createPool(options: PostgresOptions, Client: ReturnType<typeof createClientClass>): Pool {
  return new Pool({
    ...clientSettings(options),
    max: options.poolSize,
    // The pool builds its clients with the settings above, which the declared type of this option leaves out.
    Client: Client as unknown as new () => PrimaryClient,
    verify: callbackify((client: unknown) => prepareSession(client as PrimaryClient, options)),
  });
}

/**
 * One round trip per new connection. The limits are set here rather than at startup because poolers refuse unknown startup
 * parameters.
 */
async function prepareSession(client: PrimaryClient, options: PostgresOptions): Promise<void> {
  const { statementTimeoutMs, idleTransactionTimeoutMs } = sessionLimits(options);
  const [row] = await send<{ standby: boolean }>(
    client,
    `select pg_is_in_recovery() as standby, set_config('statement_timeout', $1, false),
            set_config('idle_in_transaction_session_timeout', $2, false), set_config('datestyle', 'ISO', false)`,
    [statementTimeoutMs, idleTransactionTimeoutMs],
  );
  if (row?.standby !== false) throw new NotPrimaryError("the database server is a standby");
}

const sessionLimits = ({ statementTimeoutMs }: PostgresOptions) => ({
  statementTimeoutMs,
  idleTransactionTimeoutMs: statementTimeoutMs * 2,
});

const generationOf = (client: unknown): number => (client as PrimaryClient).generation;

const isPoolTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";
