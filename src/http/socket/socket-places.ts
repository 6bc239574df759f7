import { Fault } from "../../core/fault.ts";
import type { Payer } from "../../core/money/payer.ts";
import { tryAgainIn } from "../../core/request/parsed-texts.ts";
import type { SocketSession } from "./socket-session.ts";

/** The open sockets of this process. */
export type SocketPlaces = {
  /** Throws when the process has all it may have, or the payer. */
  requireOne: (payer: Payer) => void;
  take: (session: SocketSession) => void;
  leave: (session: SocketSession) => void;
  each: (visit: (session: SocketSession) => void) => void;
};

type Options = {
  sockets: number;
  /** How much of that one payer may hold. */
  keySharePercent: number;
  onChange: { socketOpened: () => void; socketClosed: () => void };
};

/** A process with room for so few has none to divide. */
const LEAST_SHARE = 4;

export function createSocketPlaces({ sockets, keySharePercent, onChange }: Options): SocketPlaces {
  const taken = new Set<SocketSession>();
  const perPayer = new Map<Payer, number>();
  const mostEach = Math.max(LEAST_SHARE, Math.floor((sockets * keySharePercent) / 100));
  return {
    requireOne: (payer) => {
      if (taken.size >= sockets) throw full(sockets);
      if ((perPayer.get(payer) ?? 0) >= mostEach) throw manySockets(mostEach);
    },
    take: (session) => {
      const { payer } = session;
      taken.add(session);
      perPayer.set(payer, (perPayer.get(payer) ?? 0) + 1);
      onChange.socketOpened();
    },
    leave: (session) => {
      const { payer } = session;
      if (!taken.delete(session)) return;
      const left = (perPayer.get(payer) ?? 1) - 1;
      if (left > 0) perPayer.set(payer, left);
      else perPayer.delete(payer);
      onChange.socketClosed();
    },
    each: (visit) => taken.forEach(visit),
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
    `You have ${counted(most)} WebSockets open, the limit per key and per person. ${tryAgainIn(1)}`,
    { retryAfterSeconds: 1 },
  );
