import { setTimeout as pause } from "node:timers/promises";
import type { By } from "../core/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { requestIdOf } from "../core/ids.ts";
import type { InFlight } from "../core/in-flight.ts";
import type { CancelEnd, WatchStore } from "../live/live.ts";
import type { LiveView, WatchLive } from "../live/watch-live.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { readRequestId } from "./read-request-id.ts";

/** A request in flight, as operators see it. */
export type LiveRequest = Omit<InFlight, "id" | "accounts"> & {
  requestId: string;
  /** The account of its key; null: the key is its own. */
  accountId: string | null;
  /** Names from the root down. */
  accountPath: readonly string[];
};

export type LiveList = Omit<LiveView, "inFlight"> & { data: readonly LiveRequest[] };

/** What operators see of requests that have not ended, and do with them. */
export type ManageLive = {
  /** Of all processes, the oldest first. */
  list: (which: { limit: number }, by: By) => Promise<LiveList>;
  /** Ends one. Its client is told so, and pays for what was delivered. */
  cancel: (requestId: string, by: By) => Promise<{ requestId: string; result: "cancelled" }>;
};

/** How long the process that serves a request may take to say what became of it. */
const CONFIRM_MS = 5_000;
const ASK_EVERY_MS = 50;

type Parts = {
  watch: WatchLive;
  store: Pick<WatchStore, "accountsOf" | "cancel" | "cancelled" | "names">;
  events: Pick<OperatorEvents, "requestCancelled">;
  clock: Pick<Clock, "elapsedMs">;
};

export function createManageLive({ watch, store, events, clock }: Parts): ManageLive {
  /** Waits for the process that serves the request. One that ends meanwhile ends by itself. */
  async function confirmed(id: string): Promise<CancelEnd | "asked"> {
    const untilMs = clock.elapsedMs() + CONFIRM_MS;
    for (;;) {
      const { state, inFlight } = await store.cancelled(id);
      if (state !== "asked") return state;
      if (!inFlight) return "ending";
      if (clock.elapsedMs() >= untilMs) return state;
      await pause(ASK_EVERY_MS);
    }
  }

  return {
    list: async ({ limit }, { within }) => {
      const { inFlight: all, more, ...view } = await watch.look();
      const inFlight = all.filter(({ accounts }) => isWithin(accounts, within));
      const shown = inFlight.slice(0, limit);
      const names = await store.names([...new Set(shown.flatMap(({ accounts }) => accounts))]);
      return {
        ...view,
        data: shown.map((request) => liveRequestOf(request, names)),
        more: (within === undefined ? more : 0) + inFlight.length - shown.length,
      };
    },
    cancel: async (given, by) => {
      const id = readRequestId(given);
      const requestId = requestIdOf(id);
      if (by.within !== undefined && !isWithin((await store.accountsOf(id)) ?? [], by.within))
        throw notInFlight(requestId);
      const before = await store.cancel(id);
      const end = before === "asked" ? await confirmed(id) : before;
      if (end === null) throw notInFlight(requestId);
      if (end === "asked") throw unconfirmed(requestId);
      if (end === "ending") throw new Conflict(`${requestId} is ending by itself. It can't be cancelled any more.`);
      if (before === "asked") events.requestCancelled({ cancelled: requestId, ...by });
      return { requestId, result: end };
    },
  };
}

const isWithin = (accounts: readonly string[], within: By["within"]): boolean =>
  within === undefined || accounts.some((account) => within.includes(account));

function liveRequestOf({ id, accounts, ...request }: InFlight, names: ReadonlyMap<string, string>): LiveRequest {
  const own = accounts.at(-1) ?? null;
  return {
    ...request,
    requestId: requestIdOf(id),
    accountId: own !== null && names.has(own) ? own : null,
    accountPath: accounts.flatMap((account) => names.get(account) ?? []),
  };
}

const notInFlight = (requestId: string): Fault =>
  new Fault("not_found", `${requestId} is not in flight: it has finished, or never started.`);

const unconfirmed = (requestId: string): Fault =>
  new Fault(
    "service_unavailable",
    `The process that serves ${requestId} did not confirm within ${CONFIRM_MS / 1_000} s. Try again. If the process is gone, the request ends by itself within 30 s.`,
    { retryAfterSeconds: 5 },
  );
