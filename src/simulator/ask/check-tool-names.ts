import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "./refusal.ts";

/** A name, and where in the body it stands. */
type Named = { at: string; name: unknown };

/** Refuses names that providers of the dialect refuse, of tools that are offered and of calls that were made. */
export function checkToolNames(named: readonly Named[], most: 64 | 128): void {
  for (const { at, name } of named) {
    if (typeof name !== "string") continue;
    if (!/^[\w-]+$/.test(name))
      throw invalid(`Invalid '${at}': it must match the pattern '^[a-zA-Z0-9_-]{1,${most}}$'.`, at);
    if (name.length > most)
      throw invalid(`Invalid '${at}': string too long, at most ${most} characters and not ${name.length}.`, at);
  }
}

/** The objects of a list that stands at a place of the body, each with its own. */
function placesIn(list: unknown, at: string): { at: string; value: JsonObject }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown, index) => (isObject(value) ? [{ at: `${at}.${index}`, value }] : []));
}

export function chatToolNames({ tools, messages }: JsonObject): Named[] {
  const calls = placesIn(messages, "messages").flatMap(({ at, value }) =>
    placesIn(value["tool_calls"], `${at}.tool_calls`),
  );
  return [...placesIn(tools, "tools"), ...calls].map(({ at, value: { function: called } }) => ({
    at: `${at}.function.name`,
    name: isObject(called) ? called["name"] : undefined,
  }));
}

export const responsesToolNames = ({ tools, input }: JsonObject): Named[] =>
  [...placesIn(tools, "tools"), ...placesIn(input, "input")].map(({ at, value }) => ({
    at: `${at}.name`,
    name: value["name"],
  }));

export function messagesToolNames({ tools, messages }: JsonObject): Named[] {
  const blocks = placesIn(messages, "messages").flatMap(({ at, value }) =>
    placesIn(value["content"], `${at}.content`).filter((block) => block.value["type"] === "tool_use"),
  );
  return [...placesIn(tools, "tools"), ...blocks].map(({ at, value }) => ({ at: `${at}.name`, name: value["name"] }));
}
