import type { IncomingMessage } from "node:http";
import { readCookie } from "../../core/read-cookie.ts";

/** The cookie that holds the session of a key holder. */
export type SessionCookie = {
  /** The token; null when there is none, or more than one. */
  read: (request: Pick<IncomingMessage, "headers">) => string | null;
  /** The header that sets it for so long. */
  set: (token: string, lifetimeMs: number) => string;
  /** The header that removes it. */
  clear: () => string;
};

/**
 * No script can read it and no other site can have it sent. With https its name begins with `__Host-`, so no other host of the same domain
 * can put one in its place; browsers then demand the path `/`. Only `/me` looks at it.
 */
export function createSessionCookie(isSecure: () => boolean): SessionCookie {
  const name = (): string => (isSecure() ? "__Host-tollgate_key" : "tollgate_key");
  const write = (value: string, seconds: number): string =>
    `${name()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure() ? "; Secure" : ""}`;
  return {
    read: ({ headers }) => readCookie(headers.cookie, name()),
    set: (token, lifetimeMs) => write(token, Math.floor(lifetimeMs / 1000)),
    clear: () => write("", 0),
  };
}
