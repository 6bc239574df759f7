import { isObject } from "../../core/bytes/is-object.ts";
import { findElements, findMembers } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import { type ByteRange, withoutRanges } from "../members/cut-members.ts";
import type { UnknownMember } from "../members/inspect-members.ts";

/** A body without thoughts that have nothing but a name, and how that is told. */
type Unburdened<Body> = { body: Body; leftOut: readonly UnknownMember[] };

/**
 * Thoughts come back by their name alone from a client that was not given them encrypted. No provider is told to store anything, so
 * that none can know the name, and OpenAI refuses the whole request for it. A call that followed them loses its own name with them:
 * by that a provider would ask for the thoughts. Every other byte stays as the caller wrote it. [interface decision 13]
 */
export function withoutBareThoughts<Body extends ParsedBody>(body: Body): Unburdened<Body> {
  const { input } = body.value;
  const first = Array.isArray(input) ? input.findIndex((item) => isBare(item)) : -1;
  const list = body.members.list.find(({ name }) => name === "input");
  if (!Array.isArray(input) || first === -1 || list === undefined) return { body, leftOut: [] };
  const bytes = withoutRanges(body.bytes, cutsIn(body.bytes, input, findElements(body.bytes, list)));
  const leftOut = [{ name: "input", path: "input.*", at: `input.${first}` }];
  return { body: { ...body, bytes, members: findMembers(bytes) }, leftOut };
}

/** Neither encrypted, nor such as a provider shows that hides nothing. */
function isBare(item: unknown): boolean {
  if (!isObject(item) || item["type"] !== "reasoning") return false;
  const { encrypted_content: encrypted, content } = item;
  const isEncrypted = typeof encrypted === "string" && encrypted !== "";
  return !isEncrypted && !(Array.isArray(content) && content.length > 0);
}

function cutsIn(bytes: Buffer, input: readonly unknown[], places: readonly ByteRange[]): ByteRange[] {
  const cuts: ByteRange[] = [];
  let bereft = false;
  /** Where the last item ended that stays; null: none has yet. */
  let keptEnd: number | null = null;
  for (const [index, [start, end]] of places.entries()) {
    const item = input[index];
    if (isBare(item)) {
      bereft = true;
      cuts.push(keptEnd === null ? [start, places[index + 1]?.[0] ?? end] : [places[index - 1]?.[1] ?? start, end]);
      continue;
    }
    const type = isObject(item) ? (item["type"] ?? "message") : null;
    if (bereft && (type === "function_call" || type === "custom_tool_call")) cuts.push(...nameIn(bytes, start, end));
    if (type === "reasoning" || type === "message") bereft = false;
    keptEnd = end;
  }
  return cuts;
}

/** The range of an item's `id`, with the comma that goes with it. */
function nameIn(bytes: Buffer, start: number, end: number): ByteRange[] {
  const { list } = findMembers(bytes.subarray(start, end));
  const place = list.findIndex(({ name }) => name === "id");
  const [before, id, after] = [list[place - 1], list[place], list[place + 1]];
  if (id === undefined) return [];
  if (before !== undefined) return [[start + before.valueEnd, start + id.valueEnd]];
  return [[start + id.nameStart, start + (after?.nameStart ?? id.valueEnd)]];
}
