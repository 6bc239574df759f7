import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Below this path the gateway tells holders of a ticket how their request reached it. For everybody else there is nothing. */
export const CHECK_PATH = "/.tollgate/checks/";

export type TicketKey = Buffer;

const KEY_BYTES = 32;
const SALT = "tollgate check ticket";
const VALID_MS = 60_000;
/** As much again, for clocks that differ. */
const LONGEST_MS = 2 * VALID_MS;
const TICKET = /^(tgx_(\d{13})_[\da-f]{32})\.([\da-f]{64})$/;

/** Every process of an installation has the admin token, so each knows tickets that another machine has signed. */
export const deriveTicketKey = (adminToken: string): Promise<TicketKey> =>
  // Made slow on purpose: a ticket in the log of a proxy must not help to guess the token.
  new Promise((resolve, reject) => {
    scrypt(adminToken, SALT, KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** A ticket for one request, for a minute. */
export function signTicket(key: TicketKey, nowMs: number): string {
  const body = `tgx_${nowMs + VALID_MS}_${randomBytes(16).toString("hex")}`;
  return `${body}.${signatureOf(key, body)}`;
}

/** Cheap, and needs no key: whether it could be a ticket at all. */
export const looksLikeTicket = (text: string): boolean => TICKET.test(text);

export function isTicket(key: TicketKey, text: string, nowMs: number): boolean {
  const [, body = "", expiresAt = "", signature = ""] = TICKET.exec(text) ?? [];
  const leftMs = Number(expiresAt) - nowMs;
  if (body === "" || leftMs <= 0 || leftMs > LONGEST_MS) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, body)));
}

const signatureOf = (key: TicketKey, body: string): string => createHmac("sha256", key).update(body).digest("hex");
