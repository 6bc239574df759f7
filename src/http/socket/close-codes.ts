import type { FaultCode } from "../../core/fault.ts";

/** Why a socket is closed by us. [RFC 6455 7.4.1, and the registry of IANA] */
export const CLOSE = {
  idle: { code: 1000, reason: "The socket was idle for too long." },
  lifetime: { code: 1000, reason: "The socket was open for as long as one may be." },
  not_text: { code: 1003, reason: "Send text messages." },
  refused: { code: 1008, reason: "The key may not be used." },
  too_many_waiting: { code: 1008, reason: "Too many messages are waiting." },
  too_many_pings: { code: 1008, reason: "Too many pings." },
  message_refused: { code: 1008, reason: "The message was refused while it arrived." },
  restart: { code: 1012, reason: "This gateway is shutting down. Connect again." },
} as const;

export type Close = (typeof CLOSE)[keyof typeof CLOSE];

/** After one of these no further message of the socket can succeed. */
export const ENDS_SOCKET: ReadonlySet<FaultCode> = new Set(["invalid_credentials", "key_expired", "key_disabled"]);
