import type { Clock } from "../../core/clock.ts";
import { type Replication, type StandbyLack, standbyLackOf } from "../../core/server-facts.ts";

/** `unread`: the database has not said lately whether it has a synchronous standby. */
export type GuardedLack = StandbyLack | "unread";

/** For operators who would rather refuse requests than acknowledge a charge that only one server has. */
export type StandbyGuard = {
  /** Why no request may start; null when the server has a synchronous standby. */
  lack: () => GuardedLack | null;
  /** Word has come that the server may be another one: what was known of it no longer counts, and it is asked at once. */
  doubt: () => void;
  /** Doubts whenever a call to the ledger is found lost: the next one may reach another server. */
  doubting: <Cause extends string>(failureOf: (error: unknown) => Cause) => (error: unknown) => Cause;
  close: () => void;
};

type Options = {
  /** With `off` nothing is asked, and nothing is refused. */
  required: "off" | "on";
  /** Null: the database has no server, and so no standby. */
  read: () => Promise<Replication | null>;
  clock: Pick<Clock, "elapsedMs">;
  /** Told of every change, the first lack included. */
  onChange: (lack: GuardedLack | null) => void;
  everyMs?: number;
};

/** For so long a charge may be acknowledged by a server that has just lost its synchronous standby. */
const EVERY_MS = 2_000;
/** A server too busy to answer one question is not one without a standby. */
const STALE_AFTER = 3;

const NO_GUARD: StandbyGuard = {
  lack: () => null,
  doubt: () => undefined,
  doubting: (failureOf) => failureOf,
  close: () => undefined,
};

/** Asks at once, and again and again. Resolves when it has been answered, or could not be. */
export async function startStandbyGuard(options: Options): Promise<StandbyGuard> {
  if (options.required === "off") return NO_GUARD;
  const { read, clock, onChange, everyMs = EVERY_MS } = options;
  let known: { lack: GuardedLack | null; atMs: number } | null = null;
  let told: GuardedLack | null = null;
  let asking: Promise<void> | null = null;
  /** Grows with every doubt, so that an answer already on its way does not count. */
  let doubts = 0;

  const lack = (): GuardedLack | null =>
    known === null || clock.elapsedMs() - known.atMs > STALE_AFTER * everyMs ? "unread" : known.lack;

  async function look(): Promise<void> {
    for (let asked = -1; asked !== doubts;) {
      asked = doubts;
      const atMs = clock.elapsedMs();
      const found = await read().then(
        (replication) => ({ lack: replication === null ? ("unnamed" as const) : standbyLackOf(replication), atMs }),
        () => null,
      );
      if (asked === doubts) known = found ?? known;
    }
    if (told !== lack()) onChange((told = lack()));
  }

  function ask(): Promise<void> {
    return (asking ??= look().finally(() => (asking = null)));
  }

  await ask();
  const timer = setInterval(() => void ask(), everyMs).unref();
  const doubt = (): void => {
    doubts++;
    known = null;
    void ask();
  };
  return {
    lack,
    doubt,
    doubting: (failureOf) => (error) => {
      const cause = failureOf(error);
      if (cause === "lost") doubt();
      return cause;
    },
    close: () => clearInterval(timer),
  };
}
