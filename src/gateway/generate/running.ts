import { Fault, type FaultCode } from "../../core/fault.ts";
import type { Key, KeyStatus } from "../../keys/key.ts";
import type { InFlight } from "../../core/request/in-flight.ts";
import { cancelledByOperator, isCancelled } from "./answer-fault.ts";
import type { CallState } from "./generation.ts";
import { lookAt } from "./look-at.ts";
import type { WatchedSink } from "./deliver/watched-sink.ts";

/** Why a key may no longer be used, and whether that is its own status or that of an account above it. `session`: it is one of a client. */
export type Stopped = {
  status: Exclude<KeyStatus, "active">;
  by: "key" | "account";
  of: "key" | "session";
};

/** The generations under way in this process, so that they can be ended from outside. */
export type Running = {
  began: (state: CallState) => void;
  ended: (state: CallState) => void;
  count: () => number;
  /** What each has come to by now, the oldest first. Each is looked at when it is taken, and costs nothing before. */
  inFlight: () => Iterable<InFlight>;
  /** An operator ends this one. `ending`: how it ends is decided, or it is being ended already. Null: it does not run here. */
  cancel: (id: string) => "cancelled" | "ending" | null;
  open: () => Iterable<{ id: string; keyId: string; bucket: number }>;
  /** The keys that have something running: all, or of an account and those below it. */
  keyIds: (accountId?: string) => Set<string>;
  /** The ledger has closed this request: what it goes on to deliver could not be charged. */
  cutClosed: (id: string) => void;
  /** What runs for a key that may no longer be used. A whole answer goes on unless the key was revoked: it is paid for when it comes. */
  cutKey: (keyId: string, stopped: Stopped) => void;
  /** The accounts that a key stands under now: it may have been moved. */
  moved: (key: Pick<Key, "id" | "accounts">) => void;
  /** This process can no longer say that it lives, so its requests are being swept elsewhere. */
  /** Of keys in these buckets; all of them unless told. */
  cutLost: (isLost?: (bucket: number) => boolean) => void;
  /** This process goes away, and has waited for its requests for as long as it was told to. */
  cutStopping: () => void;
};

/** An array in which the last takes the place of one that has ended: a map that changes with every request is costly garbage. */
export function createRunning(): Running {
  const states: CallState[] = [];
  const cutWhere = (fault: Fault, applies: (sink: WatchedSink) => boolean): void => {
    for (const { sink } of states) if (applies(sink)) sink.cut(fault);
  };
  const find = (id: string): CallState | undefined => states.find(({ generation }) => generation.id === id);
  return {
    began: (state) => {
      state.place = states.length;
      states.push(state);
    },
    ended: (state) => {
      const last = states.pop();
      if (last === undefined || last === state) return;
      last.place = state.place;
      states[state.place] = last;
    },
    count: () => states.length,
    inFlight: () => states.toSorted(byAge).values().map(lookAt),
    cancel: (id) => {
      const sink = find(id)?.sink;
      if (sink === undefined) return null;
      if (!sink.isComplete()) sink.cut(cancelledByOperator());
      const cut = sink.cutBy();
      return cut !== null && isCancelled(cut) ? "cancelled" : "ending";
    },
    open: () => states.map(({ generation: { id }, sink: { keyId, bucket } }) => ({ id, keyId, bucket })),
    keyIds: (accountId) => {
      const isUnder = ({ accounts }: WatchedSink): boolean => accountId === undefined || accounts.includes(accountId);
      return new Set(
        states
          .map(({ sink }) => sink)
          .filter(isUnder)
          .map(({ keyId }) => keyId),
      );
    },
    cutClosed: (id) => find(id)?.sink.cut(closed()),
    cutKey: (keyId, stopped) =>
      cutWhere(
        stoppedFault(stopped),
        (sink) => sink.keyId === keyId && (sink.streamed || stopped.status === "revoked"),
      ),
    moved: ({ id, accounts }) => {
      for (const { sink } of states) if (sink.keyId === id) sink.accounts = accounts;
    },
    cutLost: (isLost = () => true) => cutWhere(closed(), ({ bucket }) => isLost(bucket)),
    cutStopping: () => cutWhere(stopping(), () => true),
  };
}

const byAge = (one: CallState, other: CallState): number => one.generation.startedAtMs - other.generation.startedAtMs;

const closed = (): Fault =>
  new Fault("service_unavailable", "The gateway lost contact with its ledger and ended this request. Try again.", {
    retryAfterSeconds: 5,
  });

const stopping = (): Fault =>
  new Fault("service_unavailable", "The gateway is shutting down and ended this request. Try again.", {
    retryAfterSeconds: 1,
  });

const STOPPED: Record<Stopped["status"], FaultCode> = {
  revoked: "invalid_credentials",
  suspended: "invalid_credentials",
  disabled: "key_disabled",
};

/** What the person at a client can do about it. Holders of keys ask whoever gave them the key. */
const FIX: Record<Stopped["status"], string> = {
  revoked: "Sign in again.",
  suspended: "Ask an operator to resume it.",
  disabled: "Ask an operator to enable it.",
};

const stoppedFault = ({ status, by, of }: Stopped): Fault => {
  const credential = of === "key" ? "API key" : "session";
  const what = by === "key" ? `This ${credential}` : `The account of this ${credential}`;
  const happened = of === "session" && status === "revoked" ? "was ended" : `was ${status}`;
  const told = `${what} ${happened} while the request was in progress.`;
  return new Fault(STOPPED[status], of === "key" ? told : `${told} ${FIX[status]}`);
};
