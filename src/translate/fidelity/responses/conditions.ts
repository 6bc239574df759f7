import type { ProviderDialect } from "../../../core/request/dialect.ts";
import { isObject } from "../../../core/bytes/is-object.ts";
import { effortOf } from "../../form/build-form.ts";
import type { OpenSeal } from "../../form/native.ts";
import type { Json } from "../../../core/bytes/json.ts";
import { numberOrNull, objectsOf } from "../../form/read-json.ts";
import type { Condition } from "../field-row.ts";

/** What formats that have one place for instructions cannot say where it was said. */
export const LATE_INSTRUCTIONS: Condition = {
  words: "instructions after the first turn",
  when: (items) => {
    if (!Array.isArray(items)) return false;
    const first = items.findIndex((item) => !isInstruction(item));
    return first !== -1 && items.slice(first).some(isInstruction);
  },
};

const isInstruction = (item: unknown): boolean =>
  isObject(item) && (item["role"] === "system" || item["role"] === "developer");

/** Whether a model is asked to think before it answers. */
export const thinks = (body: Json): boolean => asksForThought(body["reasoning"]) && !forcesCall(body);

/** Clients name a member that they have nothing to say of. */
export const asksForThought = (reasoning: unknown): boolean =>
  isObject(reasoning) &&
  reasoning["effort"] !== "none" &&
  (effortOf(reasoning["effort"]) !== null || typeof reasoning["summary"] === "string");

/** A model that must call a tool does not think first. */
export function forcesCall({ tools, tool_choice: choice }: Json): boolean {
  if (!Array.isArray(tools) || tools.length === 0) return false;
  if (!isObject(choice)) return choice === "required";
  const { type, mode } = choice;
  return type === "function" || type === "custom" || (type === "allowed_tools" && mode === "required");
}

/** The schemas of all tools that calls are to be held to: alone and in namespaces, and of those that items have brought. */
export function strictSchemas({ tools, input }: Json): unknown[] {
  const listed = [...objectsOf(tools), ...objectsOf(input).flatMap((item) => objectsOf(item["tools"]))];
  return listed
    .flatMap((tool) => [tool, ...objectsOf(tool["tools"])])
    .flatMap(({ strict, parameters }) => (strict === true ? [parameters] : []));
}

export const limitOf = ({ max_output_tokens: limit }: Json): number => numberOrNull(limit) ?? Number.POSITIVE_INFINITY;

const CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "tool_search_call"]);

/** Whether a turn ends in thinking that a provider of this format gave. */
export function hasIdleThought(
  items: unknown,
  { provider, open }: { provider: ProviderDialect; open: OpenSeal },
): boolean {
  let idle = false;
  for (const { type = "message", role, encrypted_content: encrypted } of objectsOf(items)) {
    if (type === "reasoning") idle ||= open(encrypted)?.dialect === provider;
    else if (CALLS.has(type) || (type === "message" && role === "assistant")) idle = false;
    else if (idle && type !== "additional_tools") return true;
  }
  return idle;
}
