import { Fault } from "../../core/fault.ts";

/** Which ways of sending a key a route takes. [spec 5] */
export type CredentialScheme = "bearer" | "bearer_or_header";

const BEARER = /^bearer +([^\s]+) *$/i;

/** What becomes of one key that is sent in both headers: some clients set both, and cannot be told not to. */
export type EqualCredentials = "accepted" | "refused";

/**
 * The one credential of a request; null when there is none. Two, of any kind, are refused: a proxy in front may have seen the
 * other one. Read from the raw headers, because repeated ones are merged elsewhere.
 */
export function extractCredential(
  rawHeaders: readonly string[],
  scheme: CredentialScheme,
  equal: EqualCredentials = "refused",
): string | null {
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
  if (count > 1) {
    const once = count === 2 && headerKey !== null ? authorization : null;
    if (equal === "accepted" && once !== null && bearerOf(once) === headerKey) return headerKey;
    throw new Fault("invalid_credentials", twoCredentials(authorization !== null && headerKey !== null, equal));
  }
  if (authorization !== null) return bearerOf(authorization);
  if (headerKey === null) return null;
  if (scheme === "bearer") {
    throw new Fault(
      "invalid_credentials",
      "This path does not accept `x-api-key`. Send the key as `Authorization: Bearer <key>`.",
    );
  }
  return headerKey;
}

function bearerOf(authorization: string): string {
  const match = BEARER.exec(authorization);
  if (!match?.[1]) {
    throw new Fault("invalid_credentials", "The Authorization header must be `Bearer <key>`.");
  }
  return match[1];
}

function twoCredentials(bothKinds: boolean, equal: EqualCredentials): string {
  if (!bothKinds) return "The credential header was sent more than once. Send it once.";
  const fix = "Both Authorization and x-api-key were sent. Remove x-api-key and keep `Authorization: Bearer <key>`.";
  if (equal === "accepted") return fix;
  return `${fix} If your client always sends the same key in both, the operator can set \`auth.accept_equal_credentials: on\`.`;
}

export const missingCredential = (): Fault =>
  new Fault("invalid_credentials", "No API key was sent. Send it as `Authorization: Bearer <key>`.");
