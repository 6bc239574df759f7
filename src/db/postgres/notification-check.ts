import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** Carries nothing but the checks of listening sessions. Every session listens to it, and knows its own by their payload. */
export const CHECK_CHANNEL = "tollgate_check";

/** `unsent`: the database could not be asked, so nothing was found out. */
export type CheckResult = "heard" | "unheard" | "unsent";

export type NotificationCheck = {
  /** Sends a notification and waits for it on the listening session. */
  run: () => Promise<CheckResult>;
  /** A notification on the channel of checks arrived. */
  arrived: (payload: string) => void;
};

type Options = {
  /** Sends it the way requests reach the database, which may lead through a pooler. */
  notify: (channel: string, payload: string) => Promise<unknown>;
  /** A notification that was sent and has not arrived by then will not arrive. */
  withinMs: number;
  /** Ends the wait: nobody wants to know any more. */
  signal: AbortSignal;
};

/** After the time is up, what already lies in the socket is still read: this process may itself have been held up. */
const GRACE_MS = 50;

/** Finds out whether notifications arrive. A session that does not hear them looks like one that is told nothing. */
export function createNotificationCheck({ notify, withinMs, signal }: Options): NotificationCheck {
  /** Two sessions may be checked at once, while one replaces the other. */
  const awaited = new Map<string, (result: "heard") => void>();

  return {
    run: async () => {
      const payload = randomBytes(16).toString("hex");
      const arrived = Promise.withResolvers<"heard">();
      awaited.set(payload, arrived.resolve);
      const time = new AbortController();
      try {
        await notify(CHECK_CHANNEL, payload);
        const late = delay(withinMs, null, { signal: AbortSignal.any([signal, time.signal]) })
          .then(() => delay(GRACE_MS, "unheard" as const))
          .catch(() => "unheard" as const);
        return await Promise.race([arrived.promise, late]);
      } catch {
        return "unsent";
      } finally {
        awaited.delete(payload);
        time.abort();
      }
    },
    arrived: (payload) => awaited.get(payload)?.("heard"),
  };
}
