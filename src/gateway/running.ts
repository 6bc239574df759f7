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
  cutAll: () => void;
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
    cutAll: () => cutWhere(closed(), () => true),
  };
}

const closed = (): Fault =>
  new Fault("service_unavailable", "This request could not be kept open: the ledger has closed it. Try again.", {
    retryAfterSeconds: 5,
  });

const revoked = (): Fault =>
  new Fault("invalid_credentials", "This API key was revoked while the answer was under way.");
