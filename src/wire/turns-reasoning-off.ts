import type { ClientDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { GenerationRequest } from "./generation-request.ts";
import { valueAt } from "./json/value-at.ts";

/**
 * Whether a request says that the model is not to reason. Saying nothing is no such word. `any`: in the words of any format, for a provider that is
 * told them as they are; `own`: in those of its own, which are all that a translation reads.
 */
export function turnsReasoningOff(request: GenerationRequest, words: "any" | "own"): boolean {
  const isRead = (dialect: ClientDialect): boolean => words === "any" || request.dialect === dialect;
  if (isRead("responses")) {
    const { effort, enabled } = objectAt(request, "reasoning");
    if (effort === "none" || (words === "any" && enabled === false)) return true;
  }
  if (isRead("chat") && valueAt(request, "reasoning_effort") === "none") return true;
  return isRead("messages") && objectAt(request, "thinking")["type"] === "disabled";
}

/** Whether it asks for thinking in so many words of its format. */
export function asksForThinking(request: GenerationRequest): boolean {
  switch (request.dialect) {
    case "chat":
      return typeof valueAt(request, "reasoning_effort") === "string";
    case "responses":
      return typeof objectAt(request, "reasoning")["effort"] === "string";
    case "messages":
      return isObject(valueAt(request, "thinking"));
    default:
      return request.dialect satisfies never;
  }
}

function objectAt(request: GenerationRequest, name: string): Record<string, unknown> {
  const value = valueAt(request, name);
  return isObject(value) ? value : {};
}
