import { setTimeout as delay } from "node:timers/promises";
import { Client, escapeIdentifier } from "pg";
import { invariant } from "../../core/invariant.ts";
import type { NotificationListener, Subscription } from "../database.ts";
import { type FindOptions, findPrimary } from "./find-primary.ts";
import { splitHosts } from "./host-list.ts";
import { CHECK_CHANNEL, createNotificationCheck, type NotificationCheck } from "./notification-check.ts";
import { clientSettings } from "./postgres-client.ts";

type ListenOptions = FindOptions & {
  url: string;
  directUrl?: string;
  onError: (error: Error) => void;
  random?: () => number;
  /** Sends a notification over the connections that requests use. */
  notify: (channel: string, payload: string) => Promise<unknown>;
  /** How often it is tried whether notifications arrive, and how long one may take. */
  check?: { everyMs: number; withinMs: number };
  channels: readonly string[];
  listener: NotificationListener;
};

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5_000;
const CHECK = { everyMs: 15_000, withinMs: 3_000 };

/** The connection is open as far as this side knows, and nothing arrives on it. */
const silent = (): Error => new Error("the listening database connection has gone silent, and is made again");

/**
 * Listens on a connection of its own, past any pooler, and makes it again whenever it breaks. A notification of our own, sent over
 * the connections of requests, shows now and then that they arrive: through a pooler that lends sessions by the transaction they
 * do not, and on a connection whose other end is gone they no longer do.
 */
export async function listenOnPostgres(options: ListenOptions): Promise<Subscription> {
  const stop = new AbortController();
  const { signal } = stop;
  const everyMs = (options.check ?? CHECK).everyMs;
  const line = createListeningLine(options, signal);

  await line.connect();
  options.listener.refresh();
  await line.tryHearing();
  const running = Promise.all([keepListening(), keepTrying()]);
  return {
    close: async () => {
      stop.abort();
      await line.session().end();
      await running;
    },
  };

  async function keepTrying(): Promise<void> {
    while (!signal.aborted) {
      await pause(everyMs, signal);
      if (!signal.aborted) await line.tryHearing();
    }
  }

  async function keepListening(): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      const error = await line.session().ended;
      if (signal.aborted) return;
      if (error) options.onError(error);
      line.doubt();
      for (let connected = false; !connected; attempt += 1) {
        await pause(backoffMs(attempt, options.random ?? Math.random), signal);
        if (signal.aborted) return;
        connected = await reconnect();
      }
      attempt = 0;
    }
  }

  async function reconnect(): Promise<boolean> {
    try {
      await line.connect();
    } catch (error) {
      options.onError(error instanceof Error ? error : new Error(String(error)));
      line.isDeaf();
      return false;
    }
    // The caller may have closed the subscription while the connection was being made.
    if (signal.aborted) await line.session().end();
    else {
      options.listener.refresh();
      void line.tryHearing();
    }
    return true;
  }
}

/** The session that listens, on the primary, and whether anything arrives on it. */
function createListeningLine(options: ListenOptions, signal: AbortSignal) {
  const primary = findPrimary(splitHosts(options.directUrl ?? options.url), options);
  const { withinMs } = options.check ?? CHECK;
  const check = createNotificationCheck({ notify: options.notify, withinMs, signal });
  let session: Session | null = null;
  /** Not known until the first check that could be made. */
  let hears: boolean | null = null;

  function current(): Session {
    invariant(session, "a session is there once it is connected");
    return session;
  }

  const doubt = (): void => primary.doubt(primary.generation());

  const tell = (heard: boolean): void => {
    if (heard !== hears) options.listener.hears?.(heard);
    hears = heard;
  };

  return {
    session: current,
    doubt,
    /** There is no session, and the first try to make one has failed. */
    isDeaf: () => tell(false),

    connect: async (): Promise<void> => {
      await primary.found();
      try {
        session = await openSession(primary.url(), options, check);
      } catch (error) {
        doubt();
        throw error;
      }
    },

    tryHearing: async (): Promise<void> => {
      const tried = current();
      const result = await check.run();
      // The answer is about a session that is gone; the one that replaced it has a check of its own.
      if (result === "unsent" || tried !== session || signal.aborted) return;
      const heard = result === "heard";
      tell(heard);
      // One that never heard anything will hear nothing when made again either.
      if (!heard && tried.hasHeard) tried.giveUp(silent());
      tried.hasHeard ||= heard;
    },
  };
}

const pause = (forMs: number, signal: AbortSignal): Promise<unknown> =>
  delay(forMs, null, { signal }).catch(() => undefined);

/** Doubles from a tenth of a second to five, less a random half, so that a fleet does not come back as one. */
function backoffMs(attempt: number, random: () => number): number {
  const ceilingMs = Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FIRST_DELAY_MS, ceilingMs * (0.5 + random() / 2));
}

type Session = {
  /** Resolves with what ended it, or with null. */
  ended: Promise<Error | null>;
  /** Whether a check has arrived on it. */
  hasHeard: boolean;
  end: () => Promise<void>;
  /** Ends it without a word to the other side, which may be gone. */
  giveUp: (reason: Error) => void;
};

async function openSession(url: string, options: ListenOptions, check: NotificationCheck): Promise<Session> {
  const client = new Client({ ...clientSettings(options), connectionString: url });
  const { promise: ended, resolve } = Promise.withResolvers<Error | null>();
  client.on("error", resolve);
  client.on("end", () => resolve(null));
  client.on("notification", ({ channel, payload = "" }) => {
    if (channel === CHECK_CHANNEL) check.arrived(payload);
    else options.listener.notified(channel, payload);
  });
  const end = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    // A standby refuses LISTEN, so the session can only be on a primary.
    for (const channel of [CHECK_CHANNEL, ...options.channels])
      await client.query(`listen ${escapeIdentifier(channel)}`);
  } catch (error) {
    await end();
    throw error;
  }
  const giveUp = (reason: Error): void => {
    resolve(reason);
    client.connection.stream.destroy();
  };
  return { ended, hasHeard: false, end, giveUp };
}
