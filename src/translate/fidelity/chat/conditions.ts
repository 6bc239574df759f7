import { isObject } from "../../../core/bytes/is-object.ts";
import type { ProviderDialect } from "../../../core/request/dialect.ts";
import { openPlaced } from "../../chat/thought-place.ts";
import { effortOf, hasWords } from "../../form/build-form.ts";
import type { OpenSeal } from "../../form/native.ts";
import type { Json } from "../../../core/bytes/json.ts";
import { numberOrNull, objectOf, objectsOf } from "../../form/read-json.ts";
import type { Condition } from "../field-row.ts";

/** What formats that have one place for instructions cannot say where it was said. */
export const LATE_INSTRUCTIONS: Condition = {
  words: "instructions after the first turn",
  when: (messages) => {
    if (!Array.isArray(messages)) return false;
    const first = messages.findIndex((message) => !isInstruction(message));
    return first !== -1 && messages.slice(first).some(isInstruction);
  },
};

const isInstruction = (message: unknown): boolean =>
  isObject(message) && (message["role"] === "system" || message["role"] === "developer");

/** Whether a model is asked to think before it answers. */
export const thinks = (body: Json): boolean =>
  body["reasoning_effort"] !== "none" && effortOf(body["reasoning_effort"]) !== null && !forcesCall(body);

/** A model that must call a tool does not think first. */
export function forcesCall({ tools, tool_choice: choice }: Json): boolean {
  if (!isFilledList(tools)) return false;
  if (!isObject(choice)) return choice === "required";
  const { type, allowed_tools: allowed } = choice;
  return type === "function" || (type === "allowed_tools" && isObject(allowed) && allowed["mode"] === "required");
}

/** The schemas of all tools that calls are to be held to. */
export function strictSchemas({ tools }: Json): unknown[] {
  return objectsOf(tools)
    .map((tool) => objectOf(tool["function"]))
    .flatMap(({ strict, parameters }) => (strict === true ? [parameters] : []));
}

export const limitOf = ({ max_tokens: limit, max_completion_tokens: same }: Json): number =>
  numberOrNull(limit) ?? numberOrNull(same) ?? Number.POSITIVE_INFINITY;

/** Whether a turn ends in thinking that a provider of this format gave. */
export function hasIdleThought(
  messages: unknown,
  { provider, open }: { provider: ProviderDialect; open: OpenSeal },
): boolean {
  let idle = false;
  for (const message of objectsOf(messages)) {
    const { role, content, refusal, tool_calls: calls, reasoning_details: details } = message;
    if (role !== "assistant" && idle) return true;
    if (role !== "assistant") continue;
    const said = [content, refusal].some((text) => (typeof text === "string" ? hasWords(text) : isFilledList(text)));
    const made = objectsOf(calls).length;
    const ends = objectsOf(details).some(({ signature, data }) => {
      const { block, place } = openPlaced(signature ?? data, "", open) ?? {};
      const followed = place !== undefined && (place.calls < made || (said && !place.spoken && place.calls === 0));
      return block?.native?.dialect === provider && !followed;
    });
    idle = ends || (idle && !said && made === 0);
  }
  return idle;
}

export const NOT_EMPTY: Condition = { words: "not empty", when: isFilledList };

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
