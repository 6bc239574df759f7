import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { checkBlock } from "./check-blocks.ts";

const MOST_CACHE_POINTS = 4;

export type Message = { role: string; content: JsonObject[] };

export function messagesIn({ messages }: JsonObject): Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
      "messages",
    );
  return messages.map((message: unknown, index) => {
    const { role, content, ...more } = isObject(message) ? message : {};
    if (Object.keys(more).length > 0 || (role !== "user" && role !== "assistant"))
      throw invalid(`messages.${index} has an unknown role or member.`, "messages");
    if (!Array.isArray(content) || content.length === 0)
      throw invalid(
        `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
        "messages",
      );
    return { role, content: content.filter((block) => isObject(block)) };
  });
}

/** Refuses what Amazon refuses of a conversation: speakers that do not take turns, calls and results that do not match. */
export function checkMessages(messages: readonly Message[]): void {
  const documents = new Set<unknown>();
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`;
    if (role !== (index % 2 === 0 ? "user" : "assistant"))
      throw invalid(
        index === 0
          ? "A conversation must start with a user message."
          : `Roles must alternate between "user" and "assistant". (${at})`,
        "messages",
      );
    for (const [place, block] of content.entries()) checkBlock(block, `${at}.content.${place}`);
    checkDocuments(content, documents, at);
    if (role === "assistant") checkThoughts(content, at);
    else checkResults(content, messages[index - 1]?.content ?? [], at);
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") checkResults([], last.content, `messages.${messages.length}`);
}

const namesIn = (content: readonly JsonObject[], kind: string): string[] =>
  content.flatMap((block) => {
    const value = block[kind];
    return isObject(value) ? [String(value["toolUseId"])] : [];
  });

function checkResults(content: readonly JsonObject[], before: readonly JsonObject[], at: string): void {
  const results = namesIn(content, "toolResult");
  const calls = namesIn(before, "toolUse");
  if (results.length > calls.length)
    throw invalid(
      `The number of toolResult blocks at ${at}.content exceeds the number of toolUse blocks of previous turn.`,
      "messages",
    );
  const missing = calls.filter((id) => !results.includes(id));
  if (missing.length > 0)
    throw invalid(
      `Expected toolResult blocks at ${at}.content for the following Ids: ${missing.join(", ")}`,
      "messages",
    );
  if (results.some((id, place) => id !== calls[place]))
    throw invalid(`The toolResult blocks at ${at}.content are not in the order of their calls.`, "messages");
  const first = content.findIndex((block) => block["toolResult"] === undefined && block["cachePoint"] === undefined);
  const later = content.findLastIndex((block) => block["toolResult"] !== undefined);
  if (first !== -1 && later > first) throw invalid(`toolResult blocks must come first at ${at}.content.`, "messages");
}

function checkThoughts(content: readonly JsonObject[], at: string): void {
  const isThought = content.map((block) => block["reasoningContent"] !== undefined);
  if (isThought.every(Boolean))
    throw invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
      at,
    );
  if (isThought.indexOf(false) < isThought.lastIndexOf(true))
    throw invalid(
      `${at}.content: Expected \`thinking\` or \`redacted_thinking\`, but found another block before it.`,
      at,
    );
}

function checkDocuments(content: readonly JsonObject[], known: Set<unknown>, at: string): void {
  const named = content.flatMap(({ document }) => (isObject(document) ? [document["name"]] : []));
  if (named.length > 0 && !content.some(({ text }) => text !== undefined))
    throw invalid(`A text block must be included with documents. (${at})`, at);
  for (const name of named) {
    if (known.has(name)) throw invalid(`Messages can not contain multiple documents with the same name. (${at})`, at);
    known.add(name);
  }
}

export function checkCachePoints(lists: readonly (readonly unknown[])[]): void {
  const points = lists.flat().filter((part) => isObject(part) && part["cachePoint"] !== undefined).length;
  if (points > MOST_CACHE_POINTS)
    throw invalid(`A maximum of ${MOST_CACHE_POINTS} blocks with cache_control may be provided. Found ${points}.`);
}
