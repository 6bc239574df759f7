import { setTimeout as delay } from "node:timers/promises";
import { Client, escapeIdentifier } from "pg";
import type { NotificationListener, Subscription } from "./database.ts";
import { splitHosts } from "./host-list.ts";
import { clientSettings, inRecovery } from "./postgres-client.ts";
import { createPrimary } from "./primary.ts";

type ListenOptions = {
  url: string;
  directUrl?: string;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  onError: (error: Error) => void;
  random?: () => number;
  channels: readonly string[];
  listener: NotificationListener;
};

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5_000;

/** Listens on a connection of its own, past any pooler, and makes it again whenever it breaks. */
export async function listenOnPostgres(options: ListenOptions): Promise<Subscription> {
  const urls = splitHosts(options.directUrl ?? options.url);
  const primary = createPrimary({ urls, inRecovery: (url) => inRecovery(url, options) });
  const stop = new AbortController();
  const connect = async () => {
    await primary.found();
    try {
      return await openSession(primary.url(), options);
    } catch (error) {
      primary.doubt(primary.generation());
      throw error;
    }
  };

  let session = await connect();
  options.listener.refresh();
  const running = keepListening();
  return {
    close: async () => {
      stop.abort();
      await session.end();
      await running;
    },
  };

  async function keepListening(): Promise<void> {
    let attempt = 0;
    while (!stop.signal.aborted) {
      const error = await session.ended;
      if (stop.signal.aborted) return;
      if (error) options.onError(error);
      primary.doubt(primary.generation());
      for (let connected = false; !connected; attempt += 1) {
        await delay(backoffMs(attempt, options.random ?? Math.random), null, { signal: stop.signal }).catch(
          () => undefined,
        );
        if (stop.signal.aborted) return;
        connected = await reconnect();
      }
      attempt = 0;
    }
  }

  async function reconnect(): Promise<boolean> {
    try {
      session = await connect();
    } catch (error) {
      options.onError(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
    // The caller may have closed the subscription while the connection was being made.
    if (stop.signal.aborted) await session.end();
    else options.listener.refresh();
    return true;
  }
}

/** Doubles from a tenth of a second to five, less a random half, so that a fleet does not come back as one. */
function backoffMs(attempt: number, random: () => number): number {
  const ceilingMs = Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FIRST_DELAY_MS, ceilingMs * (0.5 + random() / 2));
}

async function openSession(url: string, options: ListenOptions) {
  const client = new Client({ ...clientSettings(options), connectionString: url });
  const { promise: ended, resolve } = Promise.withResolvers<Error | null>();
  client.on("error", resolve);
  client.on("end", () => resolve(null));
  client.on("notification", ({ channel, payload }) => options.listener.notified(channel, payload ?? ""));
  const end = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    // A standby refuses LISTEN, so the session can only be on a primary.
    for (const channel of options.channels) await client.query(`listen ${escapeIdentifier(channel)}`);
  } catch (error) {
    await end();
    throw error;
  }
  return { ended, end };
}
