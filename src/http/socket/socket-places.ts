import { Fault } from "../../core/fault.ts";
import { tryAgainIn } from "../../core/parsed-texts.ts";
import type { SocketSession } from "./socket-session.ts";

/** The open sockets of this process. */
export type SocketPlaces = {
  /** Throws when the process has all it may have, or the key. */
  requireOne: (keyId: string) => void;
  take: (session: SocketSession, keyId: string) => void;
  leave: (session: SocketSession) => void;
  each: (visit: (session: SocketSession) => void) => void;
};

type Options = {
  sockets: number;
  /** How much of that one key may hold. */
  keySharePercent: number;
  onChange: { socketOpened: () => void; socketClosed: () => void };
};

/** A process with room for so few has none to divide. */
const LEAST_SHARE = 4;

export function createSocketPlaces({ sockets, keySharePercent, onChange }: Options): SocketPlaces {
  const taken = new Map<SocketSession, string>();
  const perKey = new Map<string, number>();
  const mostPerKey = Math.max(LEAST_SHARE, Math.floor((sockets * keySharePercent) / 100));
  return {
    requireOne: (keyId) => {
      if (taken.size >= sockets) throw full(sockets);
      if ((perKey.get(keyId) ?? 0) >= mostPerKey) throw manySockets(mostPerKey);
    },
    take: (session, keyId) => {
      taken.set(session, keyId);
      perKey.set(keyId, (perKey.get(keyId) ?? 0) + 1);
      onChange.socketOpened();
    },
    leave: (session) => {
      const keyId = taken.get(session);
      if (keyId === undefined) return;
      taken.delete(session);
      const left = (perKey.get(keyId) ?? 1) - 1;
      if (left > 0) perKey.set(keyId, left);
      else perKey.delete(keyId);
      onChange.socketClosed();
    },
    each: (visit) => taken.forEach((_, session) => visit(session)),
  };
}

const counted = (value: number): string => value.toLocaleString("en-US");

const full = (sockets: number): Fault =>
  new Fault("service_unavailable", `This gateway is at its limit of ${counted(sockets)} WebSockets. Try again.`, {
    retryAfterSeconds: 2,
  });

const manySockets = (most: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `This key has ${counted(most)} WebSockets open, the limit per key. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );
