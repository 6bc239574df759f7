import { Fault } from "../core/fault.ts";
import type { WatchedSink } from "./watched-sink.ts";

/** The generations under way in this process, so that they can be ended from outside. */
export type Running = {
  began: (id: string, sink: WatchedSink) => void;
  ended: (id: string) => void;
  ids: () => Iterable<string>;
  /** The keys that have something running. */
  keyIds: () => Set<string>;
  /** The ledger has closed this request: what it goes on to deliver could not be charged. */
  cutClosed: (id: string) => void;
  cutRevoked: (keyId: string) => void;
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
    ids: () => sinks.keys(),
    keyIds: () => new Set([...sinks.values()].map(({ keyId }) => keyId)),
    cutClosed: (id) => sinks.get(id)?.cut(closed()),
    cutRevoked: (keyId) => cutWhere(revoked(), (sink) => sink.keyId === keyId),
    cutLost: () => cutWhere(closed(), () => true),
    cutStopping: () => cutWhere(stopping(), () => true),
  };
}

const closed = (): Fault =>
  new Fault("service_unavailable", "This request could not be kept open: the ledger has closed it. Try again.", {
    retryAfterSeconds: 5,
  });

const stopping = (): Fault =>
  new Fault("service_unavailable", "The gateway is stopping and can wait for this answer no longer. Try again.", {
    retryAfterSeconds: 1,
  });

const revoked = (): Fault =>
  new Fault("invalid_credentials", "This API key was revoked while the answer was under way.");
