import type { IncomingMessage } from "node:http";
import { readCookie } from "../../core/read-cookie.ts";

/**
 * Ties a browser to what it began: first to its way through the identity provider, then to the question it was asked. `device`: to approve a
 * client; `person`: to open the console. Each has its own, so that one does not end the other.
 */
export type DeviceCookie = {
  read: (request: Pick<IncomingMessage, "headers">) => string | null;
  set: (value: string) => string;
  clear: () => string;
};

const SECONDS = 600;
const VALUE = /^[\w-]{1,200}$/;

/** `Lax`, because the provider sends the browser back from another site. With https no other host of the domain can set one. */
export function createDeviceCookie(of: "device" | "person", isSecure: () => boolean): DeviceCookie {
  const name = (): string => `${isSecure() ? "__Host-" : ""}tollgate_${of}`;
  const write = (value: string, seconds: number): string =>
    `${name()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure() ? "; Secure" : ""}`;
  return {
    read: ({ headers }) => {
      const value = readCookie(headers.cookie, name()) ?? "";
      return VALUE.test(value) ? value : null;
    },
    set: (value) => write(value, SECONDS),
    clear: () => write("", 0),
  };
}
