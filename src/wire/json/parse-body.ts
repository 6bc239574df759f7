import { isUtf8 } from "node:buffer";
import { Fault, fieldFault } from "../../core/fault.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { findMembers, type Members } from "./members.ts";
import { type Outline, outlineOf } from "./outline.ts";

export type ParsedBody = { value: Record<string, unknown>; bytes: Buffer; members: Members };

/**
 * More than any conversation needs, for text and images are one value each, however long. Without this bound a body of 32 MiB
 * can hold 16 million values, and would occupy the process for seconds and take gigabytes.
 */
const MOST_VALUES = 250_000;

/** No format has a tenth of it. Each is looked at again by everything that changes a member. */
const MOST_MEMBERS = 1_000;

/** Bytes become a JSON object, or a refusal that says what is wrong with them. */
export function parseBody(bytes: Buffer, maxDepth: number, mostValues = MOST_VALUES): ParsedBody {
  if (bytes.length === 0) throw new Fault("invalid_request", "The request body is empty. Send a JSON object.");
  if (!isUtf8(bytes)) throw new Fault("invalid_request", "The request body is not valid UTF-8.");
  const names = namesWithin(bytes, { depth: maxDepth, values: mostValues });
  const value = parse(bytes);
  if (!isObject(value)) {
    throw new Fault("invalid_request", "The request body must be a JSON object.");
  }
  const members = findMembers(bytes);
  if (members.duplicate !== null) {
    throw fieldFault(members.duplicate.slice(0, 64), "The field appears more than once. Send it once.");
  }
  if (members.list.length > MOST_MEMBERS) {
    const [count, most] = [members.list.length, MOST_MEMBERS].map((number) => number.toLocaleString("en-US"));
    const message = `The request body has ${count} top-level fields; the limit is ${most}.`;
    throw new Fault("invalid_request", message);
  }
  // Which of two equal names counts depends on who reads them: what we judge and what a provider sees must be the same.
  if (namesIn(value) !== names) {
    throw new Fault("invalid_request", "An object in the request body has the same field twice. Send each field once.");
  }
  return { value, bytes, members };
}

/** How many names the text has; a refusal when it has too much of anything. */
function namesWithin(bytes: Buffer, most: Pick<Outline, "depth" | "values">): number {
  const { depth, values, names } = outlineOf(bytes, most);
  if (depth > most.depth) {
    throw new Fault("invalid_request", `The request body is nested too deeply; the limit is ${most.depth} levels.`);
  }
  if (values > most.values) {
    throw new Fault(
      "invalid_request",
      `The request body has more than ${most.values.toLocaleString("en-US")} values, the limit.`,
    );
  }
  return names;
}

/** How many names were left when it was parsed. */
function namesIn(value: unknown): number {
  let names = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") names += namesIn(item);
  } else if (isObject(value)) {
    for (const name in value) {
      names++;
      const inner = value[name];
      if (typeof inner === "object") names += namesIn(inner);
    }
  }
  return names;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw new Fault("invalid_request", "The request body is not valid JSON.");
  }
}
