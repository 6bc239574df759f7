import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { decoderOf } from "../decode-value.ts";
import { type Database, LINE, type NotificationListener, type Queryable } from "../database.ts";
import { encodeText } from "../encode-value.ts";
import { lockFolder } from "./folder-lock.ts";
import type { TextResult } from "./pglite-message.ts";
import { createWorkerLink } from "./pglite-link.ts";
import { withinPingTimeout } from "../postgres/ping-timeout.ts";
import { runTransaction } from "../transaction.ts";
import { createTurns } from "./turns.ts";

/** As many callers as may wait for the one connection, and for how long. */
const WAITING_LIMIT = 1_000;
const WAITING_TIMEOUT_MS = 30_000;

/** PostgreSQL inside this process, on a folder or, with null, in memory. It has one connection, which callers share in turn. */
export async function createPglite({ dataFolder }: { dataFolder: string | null }): Promise<Database> {
  const lock = dataFolder === null ? null : await lockFolder(dataFolder);
  // The lock lies beside the data, not in it: the folder of the data must be empty when it is made.
  const worker = startWorker(dataFolder === null ? null : join(dataFolder, "pgdata"));
  const listeners = new Set<{ channels: readonly string[]; listener: NotificationListener }>();
  const ask = createWorkerLink(worker, ({ channel, payload }) => {
    for (const { channels, listener } of listeners) if (channels.includes(channel)) listener.notified(channel, payload);
  });
  const turns = createTurns({ limit: WAITING_LIMIT, timeoutMs: WAITING_TIMEOUT_MS });

  const query: Queryable["query"] = async (sql, values = []) =>
    // One process has one folder: there is no other server that it could have strayed to.
    decodeRows(
      await ask({ kind: "query", sql, values: values.map((value) => (value === LINE ? null : encodeText(value))) }),
    );
  const script = async (sql: string): Promise<void> => {
    await ask({ kind: "script", sql });
  };
  const end = async (): Promise<void> => {
    await worker.terminate();
    await lock?.release();
  };
  let closing: Promise<void> | null = null;

  try {
    await script("select 1");
  } catch (error) {
    await end();
    throw error;
  }
  return {
    query: (sql, values) => turns.take(() => query(sql, values)),
    script: (sql) => turns.take(() => script(sql)),
    transaction: (work) =>
      turns.take(() => runTransaction({ query, script, discard: () => void worker.terminate() }, work)),
    listen: async (channels, listener) => {
      const entry = { channels: [...channels], listener };
      await turns.take(async () => {
        for (const channel of channels) await ask({ kind: "listen", channel });
      });
      listeners.add(entry);
      listener.refresh();
      return {
        close: async () => {
          listeners.delete(entry);
        },
      };
    },
    inspect: () => Promise.resolve(null),
    connections: () => null,
    ping: () => withinPingTimeout(turns.take(() => script("select 1"))),
    close: () => {
      closing ??= turns.take(() => ask({ kind: "close" })).then(end, end);
      return closing;
    },
  };
}

/** The package ships JavaScript, the sources run as they are. */
function startWorker(dataFolder: string | null): Worker {
  const file = import.meta.url.endsWith(".ts") ? "./pglite-worker.ts" : "./pglite-worker.js";
  return new Worker(new URL(file, import.meta.url), { workerData: { dataFolder } });
}

function decodeRows<Row>(result: TextResult | null): Row[] {
  if (!result) return [];
  const columns = result.columns.map(({ name, oid }) => ({ name, decode: decoderOf(oid) }));
  return result.rows.map((row) => {
    const entries = columns.map(({ name, decode }, index) => {
      const text = row[index] ?? null;
      return [name, text === null ? null : decode(text)];
    });
    return Object.fromEntries(entries) as Row;
  });
}
