import { createSecret, type Secret } from "../../core/secret/secret.ts";
import { AmbientError, type Issued } from "./ambient.ts";

/** What fits into a header of its own. */
const TOKEN = /^[\x21-\x7e]{1,32768}$/;

type Answered = { address: string; token: unknown; expiresAtMs: number; nowMs: number };

/** A bearer token with its end, both out of an answer; an answer that lacks either is an `AmbientError`. */
export function issuedToken({ address, token, expiresAtMs, nowMs }: Answered): Issued<Secret> {
  if (!isToken(token)) throw new AmbientError(`${address} answered without a usable token.`);
  if (!(Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs))
    throw new AmbientError(
      `${address} did not say when its token ends, or the end is past. Check this machine's clock.`,
    );
  return { value: createSecret(token), expiresAtMs };
}

export const isToken = (token: unknown): token is string => typeof token === "string" && TOKEN.test(token);

/** A number of seconds, which some clouds write as a string; NaN when it is neither. */
export function msOf(seconds: unknown): number {
  if (typeof seconds === "number") return Math.floor(seconds * 1000);
  return typeof seconds === "string" && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1000 : NaN;
}
