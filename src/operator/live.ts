import { setTimeout as pause } from "node:timers/promises";
import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { requestIdOf } from "../core/ids.ts";
import type { Ended, InFlight } from "../core/request/in-flight.ts";
import type { FindKey } from "../keys/find-key.ts";
import type { CancelEnd, WatchStore } from "../live/live.ts";
import type { LiveView, WatchLive } from "../live/watch-live.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { FindAccount } from "./find/find-account.ts";
import { accountWithin, isWithin, keyWithin } from "./find/find-within.ts";
import { createLiveNames, type LiveNames } from "./find/live-names.ts";
import { readRequestId } from "./find/read-request-id.ts";

type Placed = {
  /** The account of its key; null: the key is its own. */
  accountId: string | null;
  /** Names from the root down. */
  accountPath: readonly string[];
};

/** A request in flight, as operators see it. */
export type LiveRequest = Omit<InFlight, "id" | "accounts"> & Placed & { requestId: string };

/** A request that has ended, as operators see it. */
export type LiveEnd = Omit<Ended, "accounts"> & Placed & { keyPrefix: string | null };

export type LiveList = Omit<LiveView, "inFlight" | "ended"> & { data: readonly LiveRequest[] };

/** What is new since the last look. */
export type LiveNews = {
  list: LiveList;
  ended: readonly LiveEnd[];
  /** How many ended that are not told: more than fit, or a watcher that was slow. Of all, whatever is asked for. */
  missed: number;
};

/** Which requests are meant; what is null or absent is not asked for. */
export type LiveFilter = {
  /** How many of those in flight are shown; 0: none. */
  limit: number;
  /** By id or prefix. */
  key?: string | null;
  /** By id or names. */
  account?: string | null;
  model?: string | null;
  /** Of those that ended: only what was refused or failed. */
  errors?: boolean;
};

/** What operators see of requests that have not ended, and do with them. */
export type ManageLive = {
  /** Of all processes, the oldest first. */
  list: (which: LiveFilter, by: By) => Promise<LiveList>;
  /** News every second, until it is left. Told only while it is read: a slow reader misses what is between. Throws when too many watch. */
  watch: (which: LiveFilter, by: By) => Promise<AsyncIterable<LiveNews>>;
  /** Ends one. Its client is told so, and pays for what was delivered. */
  cancel: (requestId: string, by: By) => Promise<{ requestId: string; result: "cancelled" }>;
};

/** Watchers of one process. */
const MOST_WATCHERS = 20;
/** Of these, of one person: nobody keeps the others from watching. */
const MOST_OF_ONE = 5;
/** How long the process that serves a request may take to say what became of it. */
const CONFIRM_MS = 5_000;
/** The same once it has ended: what it was charged, and what became of the wish, are two transactions. */
const CONFIRM_ENDED_MS = 1_000;
const ASK_EVERY_MS = 50;

type Parts = {
  watch: WatchLive;
  store: Pick<WatchStore, "accountsOf" | "cancel" | "cancelled" | "names" | "prefixes">;
  findKey: FindKey;
  findAccount: FindAccount;
  events: Pick<OperatorEvents, "requestCancelled">;
  clock: Pick<Clock, "elapsedMs">;
};

/** A filter with its names found. */
type Sieve = {
  limit: number;
  keyId: string | null;
  accountId: string | null;
  model: string | null;
  errors: boolean;
  within: By["within"];
};

export function createManageLive(parts: Parts): ManageLive {
  const { watch, store, events, clock } = parts;
  const names = createLiveNames({ store, clock });
  const takePlace = createPlaces();
  return {
    list: async (which, by) => {
      const sieve = await sieveOf(parts, which, by);
      return listOf(await watch.look(), sieve, names);
    },
    watch: async (which, by) => {
      const sieve = await sieveOf(parts, which, by);
      const giveBack = takePlace(by.personId ?? null);
      return withPlace(newsFor({ watch, names }, sieve), giveBack);
    },
    cancel: async (given, by) => {
      const id = readRequestId(given);
      const requestId = requestIdOf(id);
      if (by.within !== undefined && !isWithin((await store.accountsOf(id)) ?? [], by.within))
        throw notInFlight(requestId);
      const before = await store.cancel(id);
      const end = before === "asked" ? await confirmed(id, parts) : before;
      if (end === null) throw notInFlight(requestId);
      if (end === "asked") throw unconfirmed(requestId);
      if (end === "ending") throw new Conflict(`${requestId} is ending by itself. It can't be cancelled any more.`);
      if (before === "asked") events.requestCancelled({ cancelled: requestId, ...by });
      return { requestId, result: end };
    },
  };
}

async function sieveOf({ findKey, findAccount }: Parts, which: LiveFilter, { within }: By): Promise<Sieve> {
  const { limit, key = null, account = null, model = null, errors = false } = which;
  const [found, holder] = [
    key === null ? null : await keyWithin(findKey, { name: key, within }),
    account === null ? null : await accountWithin(findAccount, { name: account, within }),
  ];
  return { limit, keyId: found?.id ?? null, accountId: holder?.id ?? null, model, errors, within };
}

type ReadNames = ReturnType<typeof createLiveNames>;

async function listOf(view: LiveView, sieve: Sieve, names: ReadNames): Promise<LiveList> {
  const { inFlight, more, processes, silent } = view;
  const meant = inFlight.filter((request) => isMeant(request, sieve));
  const shown = meant.slice(0, sieve.limit);
  const known = await names(shown);
  return {
    data: shown.map(({ id, accounts, ...request }) => ({
      ...request,
      requestId: requestIdOf(id),
      ...placeOf(accounts, known),
    })),
    // Those that a process does not list are nobody's in particular.
    more: meant.length - shown.length + (sieve.within === undefined ? more : 0),
    processes,
    silent,
  };
}

type NewsParts = { watch: WatchLive; names: ReadNames };

async function* newsFor({ watch, names }: NewsParts, sieve: Sieve): AsyncGenerator<LiveNews> {
  const lastRead: LastRead = new Map();
  const seen = { view: null as LiveView | null, error: null as unknown, wake: () => undefined as void };
  const leave = watch.subscribe({
    seen: (view) => {
      seen.view = view;
      seen.wake();
    },
    failed: (error) => {
      seen.error = error;
      seen.wake();
    },
  });
  try {
    for (;;) {
      if (seen.view === null && seen.error === null) await new Promise<void>((resolve) => (seen.wake = resolve));
      const { view, error } = seen;
      if (error !== null) throw error;
      seen.view = null;
      if (view === null) continue;
      const { fresh, missed } = newEnds(view, sieve, lastRead);
      const ended = await endsOf(fresh, names);
      yield { list: await listOf(view, sieve, names), ended, missed: sieve.within === undefined ? missed : 0 };
    }
  } finally {
    leave();
  }
}

/** By process, the number of the last end that this watcher has read. */
type LastRead = Map<string, number>;

/** What is asked for of all that ended since the last look. */
function newEnds(view: LiveView, sieve: Sieve, lastRead: LastRead): { fresh: Ended[]; missed: number } {
  let missed = 0;
  const fresh: Ended[] = [];
  for (const [process, ends] of view.ended) {
    const before = lastRead.get(process);
    const unread = ends.filter(({ no }) => no > (before ?? 0));
    if (before !== undefined && unread[0] !== undefined) missed += unread[0].no - before - 1;
    fresh.push(
      ...unread.filter((end) => isMeant(end, sieve) && (!sieve.errors || end.status >= 400 || end.code !== null)),
    );
    const last = ends.at(-1)?.no;
    if (last !== undefined) lastRead.set(process, last);
  }
  return { fresh, missed };
}

async function endsOf(fresh: readonly Ended[], names: ReadNames): Promise<LiveEnd[]> {
  const known = await names(fresh);
  return fresh
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ accounts, ...end }) => ({
      ...end,
      ...placeOf(accounts, known),
      keyPrefix: end.keyId === null ? null : (known.prefixes.get(end.keyId) ?? null),
    }));
}

/** Waits for the process that serves the request. One that ends meanwhile, and is not said to be cancelled, ended by itself. */
async function confirmed(id: string, { store, clock }: Parts): Promise<CancelEnd | "asked"> {
  const askedAtMs = clock.elapsedMs();
  let endedAtMs: number | null = null;
  for (;;) {
    const { state, inFlight } = await store.cancelled(id);
    const nowMs = clock.elapsedMs();
    if (state !== "asked") return state;
    if (!inFlight) endedAtMs ??= nowMs;
    if (endedAtMs !== null && nowMs >= endedAtMs + CONFIRM_ENDED_MS) return "ending";
    if (endedAtMs === null && nowMs >= askedAtMs + CONFIRM_MS) return state;
    await pause(ASK_EVERY_MS);
  }
}

/** Gives watchers of this process a place, and each a way to give it back. */
function createPlaces() {
  /** Who watches, once for each watcher; null: the automation token or a command. */
  const watchers: (string | null)[] = [];
  return (who: string | null): (() => void) => {
    if (who !== null && watchers.filter((other) => other === who).length >= MOST_OF_ONE)
      throw tooMany(`You watch ${MOST_OF_ONE} times, the limit for one person.`);
    if (watchers.length >= MOST_WATCHERS) throw tooMany(`This process has ${MOST_WATCHERS} watchers, the limit.`);
    watchers.push(who);
    return () => void watchers.splice(watchers.indexOf(who), 1);
  };
}

/** Gives a place back when its reader leaves, also one that never read. */
function withPlace<News>(news: AsyncGenerator<News, void>, giveBack: () => void): AsyncIterable<News> {
  let has = true;
  const leave = (): void => {
    if (has) giveBack();
    has = false;
  };
  const iterator: AsyncIterator<News> = {
    next: async () => {
      try {
        const next = await news.next();
        if (next.done === true) leave();
        return next;
      } catch (error) {
        leave();
        throw error;
      }
    },
    return: async () => {
      leave();
      return news.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

type Sifted = { keyId: string | null; accounts: readonly string[]; model: string | null };

const isMeant = ({ keyId, accounts, model }: Sifted, sieve: Sieve): boolean =>
  (sieve.keyId === null || keyId === sieve.keyId) &&
  (sieve.accountId === null || accounts.includes(sieve.accountId)) &&
  (sieve.model === null || model === sieve.model) &&
  isWithin(accounts, sieve.within);

export function placeOf(accounts: readonly string[], { accounts: known }: LiveNames): Placed {
  const own = accounts.at(-1) ?? null;
  return {
    accountId: own !== null && known.has(own) ? own : null,
    accountPath: accounts.flatMap((account) => known.get(account) ?? []),
  };
}

const tooMany = (limit: string): Fault =>
  new Fault("service_unavailable", `${limit} Close one, or try again to reach another process.`, {
    retryAfterSeconds: 5,
  });

const notInFlight = (requestId: string): Fault =>
  new Fault("not_found", `${requestId} is not in flight: it has finished, or never started.`);

const unconfirmed = (requestId: string): Fault =>
  new Fault(
    "service_unavailable",
    `The process that serves ${requestId} did not confirm within ${CONFIRM_MS / 1_000} s. Try again. If the process is gone, the request ends by itself within 30 s.`,
    { retryAfterSeconds: 5 },
  );
