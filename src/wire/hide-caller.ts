import { createHmac } from "node:crypto";
import { fieldFault } from "../core/fault.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Payer } from "../core/money/payer.ts";
import type { CallFormat } from "../core/request/dialect.ts";
import { inputShouldBe } from "../core/request/parsed-texts.ts";
import type { GenerationRequest } from "./generation-request.ts";
import type { MemberEdits } from "./json/edit-members.ts";
import type { ParsedBody } from "./json/parse-body.ts";

/** The longest value OpenAI takes for these fields. */
const MOST_CHARACTERS = 64;
const PREFIX_CHARACTERS = 12;

type Hidden = Pick<GenerationRequest, "edits" | "payer"> & { dialect: CallFormat };

type Named = { keyId: string; payer: Payer };

/**
 * Rids a request of the names it gives its own users. A provider still tells them apart, which is what these fields are for,
 * but learns no name, and the same name under two keys is two people to it. The HMAC is keyed by the key's id: it is stable
 * over restarts and gateways without a secret of its own, and it is no defence against somebody who holds the key table.
 * [interface decision 13]
 */
export function hideCaller<Request extends Hidden>(
  request: Request,
  { value }: ParsedBody,
  { keyId, payer }: Named,
): Request {
  const edits: MemberEdits = { ...request.edits };
  for (const name of ["user", "safety_identifier"]) {
    const given = textOf(value[name], name);
    if (given !== null) edits[name] = JSON.stringify(pseudonym(keyId, given));
  }
  const cacheKey = textOf(value["prompt_cache_key"], "prompt_cache_key");
  if (cacheKey !== null) edits["prompt_cache_key"] = JSON.stringify(ownCacheKey(keyId, cacheKey));
  // Names the caller's installation and sessions, for its provider's eyes alone; no model reads it.
  if (value["client_metadata"] !== undefined) edits["client_metadata"] = null;
  const { metadata } = value;
  if (request.dialect === "messages" && isObject(metadata)) {
    const userId = textOf(metadata["user_id"], "metadata.user_id");
    if (userId !== null) edits["metadata"] = JSON.stringify({ ...metadata, user_id: pseudonym(keyId, userId) });
  }
  return { ...request, payer, edits };
}

function pseudonym(keyId: string, name: string): string {
  return createHmac("sha256", keyId).update(name).digest("base64url");
}

/** A cache of one key's prompts is found by that key alone, though it names it as another does. */
function ownCacheKey(keyId: string, cacheKey: string): string {
  const prefix = `${pseudonym(keyId, "prompt_cache_key").slice(0, PREFIX_CHARACTERS)}-`;
  const whole = prefix + cacheKey;
  return whole.length <= MOST_CHARACTERS ? whole : prefix + pseudonym(keyId, cacheKey);
}

/** What is no text cannot be hidden, so it is not passed on either. */
function textOf(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  throw fieldFault(param, inputShouldBe("a string"));
}
