import type { ClientDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { MemberEdits } from "../wire/json/edit-members.ts";
import { isSealed, SEAL_MARK } from "./form/native.ts";
import { parseExactly } from "./form/parse-exactly.ts";
import type { Json } from "../core/bytes/json.ts";
import { objectOf, objectsOf } from "./form/read-json.ts";

type Body = Pick<GenerationRequest, "dialect" | "bytes">;

/** A body without what was sealed here: which members differ, and what was left out, by its name and its first place. */
export type Unsealed = { edits: MemberEdits; leftOut: { path: string; at: string }[] };

type Cleaned = { value: unknown; leftOut: Unsealed["leftOut"] };

/**
 * Thinking that a provider of another format gave, and sources it named, are sealed by us for the caller to bring back. Once a provider of the caller's
 * own format is asked instead, it would refuse what it never signed; so it is left out. Null: there is none, which is nearly
 * always, and costs a search of the bytes.
 */
export function withoutSealed({ dialect, bytes }: Body): Unsealed | null {
  if (!bytes.includes(SEAL_MARK)) return null;
  const body = parseExactly(bytes.toString("utf8")) as Json;
  const { field, clean } = TURNS[dialect];
  const { value, leftOut } = clean(body[field]);
  if (leftOut.length === 0) return null;
  const edits: MemberEdits = { [field]: JSON.stringify(value) };
  if (dialect !== "messages" || !demandsThought(body)) return { edits, leftOut };
  return { edits: { ...edits, thinking: null }, leftOut: [...leftOut, { path: "thinking", at: "thinking" }] };
}

/** The same request for a provider that keeps to the caller's format. */
export function unsealed(request: GenerationRequest): GenerationRequest {
  const found = withoutSealed(request);
  return found === null ? request : { ...request, edits: { ...request.edits, ...found.edits } };
}

const TURNS: Record<ClientDialect, { field: string; clean: (turns: unknown) => Cleaned }> = {
  chat: { field: "messages", clean: cleanChat },
  responses: { field: "input", clean: cleanInput },
  messages: { field: "messages", clean: cleanMessages },
};

const isSealedDetail = (detail: unknown): boolean =>
  isObject(detail) && (isSealed(detail["signature"]) || isSealed(detail["data"]));

/** What was thought stays where it can be read; the proof of it goes. */
function cleanChat(messages: unknown): Cleaned {
  const leftOut: Unsealed["leftOut"] = [];
  const value = listOf(messages).map((message, index) => {
    const details = isObject(message) ? listOf(message["reasoning_details"]) : [];
    const first = details.findIndex((detail) => isSealedDetail(detail));
    if (first === -1 || !isObject(message)) return message;
    note(leftOut, "messages.*.reasoning_details.*", `messages.${index}.reasoning_details.${first}`);
    const kept = details.filter((detail) => !isSealedDetail(detail));
    const { reasoning_details: _, ...rest } = message;
    return kept.length === 0 ? rest : { ...rest, reasoning_details: kept };
  });
  return { value, leftOut };
}

function cleanInput(input: unknown): Cleaned {
  const leftOut: Unsealed["leftOut"] = [];
  const value = listOf(input).filter((item, index) => {
    const sealed = isObject(item) && item["type"] === "reasoning" && isSealed(item["encrypted_content"]);
    if (sealed) note(leftOut, "input.*.encrypted_content", `input.${index}.encrypted_content`);
    return !sealed;
  });
  return { value, leftOut };
}

/** A turn of nothing but thinking goes whole, for this format has no empty ones. */
function cleanMessages(messages: unknown): Cleaned {
  const leftOut: Unsealed["leftOut"] = [];
  const value = listOf(messages).flatMap((message, index) => {
    if (!isObject(message) || !Array.isArray(message["content"])) return [message];
    const content: unknown[] = message["content"];
    const kept = content.flatMap((block, place) => {
      const member = sealedMember(block);
      if (member === null) return [block];
      note(leftOut, `messages.*.content.*.${member}`, `messages.${index}.content.${place}.${member}`);
      return member === "citations" ? [uncited(objectOf(block))] : [];
    });
    return kept.length === 0 && content.length > 0 ? [] : [{ ...message, content: kept }];
  });
  return { value, leftOut };
}

function sealedMember(block: unknown): "signature" | "data" | "citations" | null {
  const { type, signature, data, citations } = objectOf(block);
  switch (type) {
    case "thinking":
      return isSealed(signature) ? "signature" : null;
    case "redacted_thinking":
      return isSealed(data) ? "data" : null;
    case "text":
      return listOf(citations).some((citation) => isSealedCitation(citation)) ? "citations" : null;
    default:
      return null;
  }
}

const isSealedCitation = (citation: unknown): boolean => isSealed(objectOf(citation)["encrypted_index"]);

function uncited({ citations, ...rest }: Json): Json {
  const kept = listOf(citations).filter((citation) => !isSealedCitation(citation));
  return kept.length === 0 ? rest : { ...rest, citations: kept };
}

/**
 * Told to think within a budget, a provider of messages refuses results of calls that were made without thinking. When the
 * thinking before them had to go, this answer goes without it too.
 */
function demandsThought({ thinking, messages }: Json): boolean {
  if (objectOf(thinking)["type"] !== "enabled") return false;
  const turns = objectsOf(messages);
  const lastCall = turns.findLastIndex(({ role }) => role === "assistant");
  const content = objectsOf(turns[lastCall]?.["content"]);
  const thoughtLost = content.some(
    ({ type, ...block }) => type !== "text" && sealedMember({ type, ...block }) !== null,
  );
  return content.some(({ type }) => type === "tool_use") && thoughtLost;
}

function note(leftOut: Unsealed["leftOut"], path: string, at: string): void {
  if (!leftOut.some((known) => known.path === path)) leftOut.push({ path, at });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
