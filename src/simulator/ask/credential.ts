import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Dialect } from "../dialect.ts";

const SECRET_HEADERS = new Set([
  "authorization",
  "api-key",
  "x-api-key",
  "x-goog-api-key",
  "x-amz-security-token",
  "proxy-authorization",
  "cookie",
]);

/** Any credential will do, but there must be one. Its value is never kept: the digest tells two of them apart. */
export function digestOfCredential(request: IncomingMessage, dialect: Dialect): string | null {
  for (const name of dialect.credentialHeaders) {
    const value = request.headers[name];
    if (typeof value !== "string") continue;
    const secret = name === "authorization" ? secretIn(value, dialect) : value;
    if (secret) return digestOf(secret);
  }
  const { credentialQuery } = dialect;
  const asked = credentialQuery === undefined ? null : queryOf(request.url).get(credentialQuery);
  return asked ? digestOf(asked) : null;
}

/** Of a signature the name of its key, which is no secret but tells two of them apart all the same. */
function secretIn(authorization: string, { takesSignatures }: Dialect): string | undefined {
  const signer = takesSignatures ? /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(authorization)?.[1] : undefined;
  return signer ?? /^Bearer +(\S.*)$/i.exec(authorization)?.[1];
}

const digestOf = (secret: string): string => hash("sha256", secret).slice(0, 12);

const queryOf = (url = ""): URLSearchParams => new URLSearchParams(url.split("?")[1] ?? "");

export function pathWithoutCredential(url: string, { credentialQuery }: Dialect): string {
  const query = queryOf(url);
  if (credentialQuery === undefined || !query.has(credentialQuery)) return url;
  query.delete(credentialQuery);
  const path = url.split("?", 1)[0] ?? "";
  return query.size === 0 ? path : `${path}?${query.toString()}`;
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
