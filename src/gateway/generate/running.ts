import { Fault, type FaultCode } from "../../core/fault.ts";
import type { KeyState } from "../../keys/usable.ts";
import type { WatchedSink } from "./watched-sink.ts";

/** Why a key may no longer be used. */
export type Stopped = Exclude<KeyState, "active">;

/** The generations under way in this process, so that they can be ended from outside. */
export type Running = {
  began: (id: string, sink: WatchedSink) => void;
  ended: (id: string) => void;
  /** Those that have begun, and the bucket of each. */
  requests: () => Iterable<{ id: string; bucket: number }>;
  /** The keys that have something running. */
  keyIds: () => Set<string>;
  /** The ledger has closed this request: what it goes on to deliver could not be charged. */
  cutClosed: (id: string) => void;
  /** What runs for a key that may no longer be used. A whole answer goes on unless the key was revoked: it is paid for when it comes. */
  cutKey: (keyId: string, state: Stopped) => void;
  /** When a key that has something running expires, by the latest word; null: never. */
  expires: (keyId: string, atMs: number | null) => void;
  /** The keys that have something running and have expired by the latest word. */
  expired: (nowMs: number) => Set<string>;
  /** This process can no longer say that it lives, so its requests are being swept elsewhere. */
  cutLost: () => void;
  /** This process goes away, and has waited for its requests for as long as it was told to. */
  cutStopping: () => void;
};

export function createRunning(): Running {
  const sinks = new Map<string, WatchedSink>();
  const cutWhere = (fault: Fault, applies: (sink: WatchedSink) => boolean): void => {
    for (const sink of sinks.values()) if (applies(sink)) sink.cut(fault);
  };
  return {
    began: (id, sink) => void sinks.set(id, sink),
    ended: (id) => void sinks.delete(id),
    requests: () => sinks.entries().map(([id, { bucket }]) => ({ id, bucket })),
    keyIds: () => new Set([...sinks.values()].map(({ keyId }) => keyId)),
    cutClosed: (id) => sinks.get(id)?.cut(closed()),
    cutKey: (keyId, state) =>
      cutWhere(stopped(state), (sink) => sink.keyId === keyId && (sink.streamed || state === "revoked")),
    expires: (keyId, atMs) => {
      for (const sink of sinks.values()) if (sink.keyId === keyId) sink.keyExpiresAtMs = atMs;
    },
    expired: (nowMs) => {
      const keyIds = new Set<string>();
      for (const { keyId, keyExpiresAtMs, streamed } of sinks.values()) {
        if (streamed && keyExpiresAtMs !== null && keyExpiresAtMs <= nowMs) keyIds.add(keyId);
      }
      return keyIds;
    },
    cutLost: () => cutWhere(closed(), () => true),
    cutStopping: () => cutWhere(stopping(), () => true),
  };
}

const closed = (): Fault =>
  new Fault("service_unavailable", "The gateway lost contact with its ledger and ended this request. Try again.", {
    retryAfterSeconds: 5,
  });

const stopping = (): Fault =>
  new Fault("service_unavailable", "The gateway is shutting down and ended this request. Try again.", {
    retryAfterSeconds: 1,
  });

const STOPPED: Record<Stopped, { code: FaultCode; happened: string }> = {
  revoked: { code: "invalid_credentials", happened: "was revoked" },
  suspended: { code: "invalid_credentials", happened: "was suspended" },
  disabled: { code: "key_disabled", happened: "was disabled" },
  expired: { code: "key_expired", happened: "expired" },
};

const stopped = (state: Stopped): Fault =>
  new Fault(STOPPED[state].code, `This API key ${STOPPED[state].happened} while the request was in progress.`);
