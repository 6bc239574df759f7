import { createSecret } from "../../core/secret/secret.ts";
import { AmbientError, type Issued } from "../ambient/ambient.ts";
import type { AwsKeys } from "./aws-keys.ts";

/** As a source wrote them down, of which nothing is known yet. */
export type GivenKeys = { accessKeyId: unknown; secretAccessKey: unknown; sessionToken?: unknown };

export type IssuedFields = Required<GivenKeys> & { expiration: unknown };

const KEY_ID = /^[\w.-]{1,128}$/;
/** What a header can carry and no blank ends. */
const SECRET = /^[\x21-\x7e]{1,16384}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Keys that somebody wrote down. The place is named in errors; what stands there is not. */
export function readAwsKeys(place: string, { accessKeyId, secretAccessKey, sessionToken }: GivenKeys): AwsKeys {
  return {
    accessKeyId: required(place, "an access key id", KEY_ID, accessKeyId),
    secretAccessKey: createSecret(required(place, "a secret access key", SECRET, secretAccessKey)),
    sessionToken:
      sessionToken === undefined ? null : createSecret(required(place, "a session token", SECRET, sessionToken)),
  };
}

/** Keys that a service issued: they have a session token and an end, and the end is ahead. */
export function readIssuedKeys(place: string, { expiration, ...given }: IssuedFields, nowMs: number): Issued<AwsKeys> {
  const value = readAwsKeys(place, { ...given, sessionToken: given.sessionToken ?? null });
  const expiresAtMs = Date.parse(required(place, "a time of expiry", TIME, expiration));
  if (Number.isNaN(expiresAtMs)) throw new AmbientError(`${place} has no usable time of expiry.`);
  if (expiresAtMs <= nowMs) {
    throw new AmbientError(`${place} has expired keys. Check this machine's clock, and the service that issues them.`);
  }
  return { value, expiresAtMs };
}

function required(place: string, what: string, pattern: RegExp, value: unknown): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  const state = value === undefined || value === null || value === "" ? "lacks" : "has something else instead of";
  throw new AmbientError(`${place} ${state} ${what}.`);
}
