import { isObject } from "../core/is-object.ts";
import type { GenerationRequest } from "./generation-request.ts";

/** Whether a request says, in the words of its format, that the model is not to reason. Saying nothing is no such word. */
export function turnsReasoningOff(request: GenerationRequest): boolean {
  const { effort, enabled } = objectAt(request, "reasoning");
  if (effort === "none" || enabled === false) return true;
  if (valueAt(request, "reasoning_effort") === "none") return true;
  return objectAt(request, "thinking")["type"] === "disabled";
}

/** Whether it says anything of thinking in the words of messages, where saying nothing means none. */
export const asksForThinking = (request: GenerationRequest): boolean => isObject(valueAt(request, "thinking"));

function objectAt(request: GenerationRequest, name: string): Record<string, unknown> {
  const value = valueAt(request, name);
  return isObject(value) ? value : {};
}

/** Only this member is parsed: a body may have 32 MiB. */
function valueAt({ bytes, members }: GenerationRequest, name: string): unknown {
  const member = members.list.find((candidate) => candidate.name === name);
  return member && (JSON.parse(bytes.toString("utf8", member.valueStart, member.valueEnd)) as unknown);
}
