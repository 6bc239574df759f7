import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Dialect } from "./dialect.ts";

const SECRET_HEADERS = new Set(["authorization", "x-api-key", "proxy-authorization", "cookie"]);

/** Any credential will do, but there must be one. Its value is never kept: the digest tells two of them apart. */
export function digestOfCredential(request: IncomingMessage, dialect: Dialect): string | null {
  for (const name of dialect.credentialHeaders) {
    const value = request.headers[name];
    if (typeof value !== "string") continue;
    const secret = name === "authorization" ? /^Bearer +(\S.*)$/i.exec(value)?.[1] : value;
    if (secret) return hash("sha256", secret).slice(0, 12);
  }
  return null;
}

export function headersWithoutCredentials(request: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value === undefined || SECRET_HEADERS.has(name)) continue;
    kept[name] = typeof value === "string" ? value : value.join(", ");
  }
  return kept;
}
