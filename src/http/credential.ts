import { Fault } from "../core/fault.ts";

/** Which ways of sending a key a route takes. [spec 5] */
export type CredentialScheme = "bearer" | "bearer_or_header";

const BEARER = /^bearer +([^\s]+) *$/i;

/**
 * The one credential of a request; null when there is none. Two, of any kind, are refused: a proxy in front may have seen the
 * other one. Read from the raw headers, because repeated ones are merged elsewhere.
 */
export function extractCredential(rawHeaders: readonly string[], scheme: CredentialScheme): string | null {
  let authorization: string | null = null;
  let headerKey: string | null = null;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // Lengths first: this runs for every header of every request.
    if (name.length === 13 && name.toLowerCase() === "authorization") {
      authorization = rawHeaders[at + 1] as string;
      count++;
    } else if (name.length === 9 && name.toLowerCase() === "x-api-key") {
      headerKey = rawHeaders[at + 1] as string;
      count++;
    }
  }
  if (count > 1) throw new Fault("invalid_credentials", twoCredentials(authorization !== null && headerKey !== null));
  if (authorization !== null) return bearerOf(authorization);
  if (headerKey === null) return null;
  if (scheme === "bearer") {
    throw new Fault(
      "invalid_credentials",
      "This route takes the key as `Authorization: Bearer <key>`, not as `x-api-key`.",
    );
  }
  return headerKey;
}

function bearerOf(authorization: string): string {
  const match = BEARER.exec(authorization);
  if (!match?.[1]) {
    throw new Fault("invalid_credentials", "The Authorization header must read `Bearer <key>`.");
  }
  return match[1];
}

function twoCredentials(bothKinds: boolean): string {
  return bothKinds
    ? "Both Authorization and x-api-key were sent. Send exactly one; drop x-api-key and keep `Authorization: Bearer <key>`."
    : "The credential header was sent more than once. Send exactly one.";
}

export const missingCredential = (): Fault =>
  new Fault("invalid_credentials", "No API key was sent. Send it as `Authorization: Bearer <key>`.");
