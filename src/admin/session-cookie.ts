import type { IncomingHttpHeaders } from "node:http";
import { Forbidden } from "../core/forbidden.ts";
import { readCookie } from "../core/read-cookie.ts";

/** How a browser keeps a session. Behind https the cookie has the prefix that binds it to this host alone. */
export type PersonCookie = {
  read: (header: string | undefined) => string | null;
  write: (secret: string) => string;
  clear: () => string;
  /** Whether browsers come by https. */
  isSecure: boolean;
  /** Where the listener is for browsers; null: wherever the Host header says. */
  publicOrigin: string | null;
};

const NAME = "tollgate_session";

/** `publicUrl` is `admin.public_url`; null: browsers come to the listener itself, which speaks plain http. */
export function createSessionCookie(publicUrl: string | null): PersonCookie {
  const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  const isSecure = publicOrigin?.startsWith("https:") ?? false;
  const name = isSecure ? `__Host-${NAME}` : NAME;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    read: (header) => readCookie(header, name),
    write: (secret) => `${name}=${secret}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    isSecure,
    publicOrigin,
  };
}

const SAFE = new Set(["GET", "HEAD"]);

type Came = { method: string; headers: IncomingHttpHeaders };

/** A browser sends its cookie along whichever page asks, and says in `Origin` which it was. */
export function requireOwnOrigin({ method, headers }: Came, { publicOrigin }: PersonCookie): void {
  if (SAFE.has(method)) return;
  const own = publicOrigin ?? `http://${headers.host ?? ""}`;
  if (headers.origin === own) return;
  throw new Forbidden(
    headers.origin === undefined
      ? "A session cookie changes something only with an Origin header. Programs use a personal token instead."
      : `This session is for pages of ${own}. Set admin.public_url if that is not where operators open it.`,
  );
}
