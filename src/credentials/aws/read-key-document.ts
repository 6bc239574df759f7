import { isObject } from "../../core/bytes/is-object.ts";
import { AmbientError, type Issued } from "../ambient/ambient.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { readIssuedKeys } from "./read-aws-keys.ts";

/** The JSON in which agents of containers and the metadata of instances give keys. */
export function readKeyDocument(place: string, text: string, nowMs: number): Issued<AwsKeys> {
  const document = parse(text);
  if (!isObject(document)) throw new AmbientError(`${place} gave an answer that is not a JSON object.`);
  const { Code: code } = document;
  if (code !== undefined && code !== "Success") {
    const named = typeof code === "string" && /^[\w.]{1,64}$/.test(code) ? ` (${code})` : "";
    throw new AmbientError(`${place} has no keys to give${named}. Check the role and its trust policy.`);
  }
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = document;
  const given = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
  return readIssuedKeys(place, { ...given, expiration: Expiration }, nowMs);
}

/** What JSON.parse says of a text repeats some of it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
