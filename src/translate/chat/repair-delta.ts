import { isObject } from "../../core/bytes/is-object.ts";

type Call = Record<string, unknown>;
type Delta = Record<string, unknown> & { tool_calls?: Call[] };

/** A delta after the first one: no role, text that is text, tool calls without empty names. */
export function repairDelta(given: unknown): Delta {
  const delta: Record<string, unknown> = isObject(given) ? { ...given } : {};
  delete delta["role"];
  if (Array.isArray(delta["content"])) Object.assign(delta, flatten(delta["content"]));
  if (typeof delta["content"] !== "string") delete delta["content"];
  if (Array.isArray(delta["tool_calls"])) delta["tool_calls"] = delta["tool_calls"].map(repairToolCall);
  else delete delta["tool_calls"];
  return delta;
}

/** The message of a whole answer: every member its format has, text that is text, calls that say what they are. */
export function repairMessage(given: unknown): Record<string, unknown> {
  const message = isObject(given) ? given : {};
  const { tool_calls: _, ...said } = repairDelta(message);
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter((call) => isObject(call)) : [];
  return {
    content: null,
    refusal: null,
    ...said,
    role: "assistant",
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => ({ type: "function", ...call })) }),
  };
}

/** Mistral sends content as parts, thinking among them. */
function flatten(parts: unknown[]): { content?: string; reasoning_content?: string } {
  let content = "";
  let reasoning = "";
  for (const part of parts) {
    if (!isObject(part)) continue;
    if (typeof part["text"] === "string") content += part["text"];
    if (!Array.isArray(part["thinking"])) continue;
    for (const thought of part["thinking"]) {
      if (isObject(thought) && typeof thought["text"] === "string") reasoning += thought["text"];
    }
  }
  return reasoning === "" ? { content } : { content, reasoning_content: reasoning };
}

/** An empty id or name in a later fragment would read as a change of it. */
function repairToolCall(given: unknown): Call {
  const call: Call = isObject(given) ? { ...given } : {};
  if (call["id"] === "" || call["id"] === null) delete call["id"];
  if (call["id"] !== undefined && call["type"] === undefined) call["type"] = "function";
  if (isObject(call["function"])) {
    const named = { ...call["function"] };
    if (named["name"] === "" || named["name"] === null) delete named["name"];
    call["function"] = named;
  }
  return call;
}
