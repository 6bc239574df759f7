import type { Examination } from "../../core/catalogue/probe.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { countIn, textIn } from "./examination.ts";
import { objectIn, type SseEvent } from "./sse-events.ts";

/** Holds a stream of Gemini against what its translation needs of one. */
export function examineGemini(events: readonly SseEvent[]): Examination {
  const read = events.map(({ data }) => objectIn(data));
  const usage = read.findLast((chunk) => isObject(chunk?.["usageMetadata"]))?.["usageMetadata"];
  const rules: [boolean, string][] = [
    [read.every((chunk) => chunk !== null), "every event is a JSON object"],
    [read.some((chunk) => reasonIn(chunk) !== ""), "a candidate has a finishReason"],
  ];
  return {
    broken: rules.filter(([kept]) => !kept).map(([, rule]) => rule),
    model: textIn(read[0], "modelVersion"),
    usage: isObject(usage) ? { inputTokens: countIn(usage, "promptTokenCount"), outputTokens: outputOf(usage) } : null,
  };
}

function reasonIn(chunk: Record<string, unknown> | null): string {
  const candidates = chunk?.["candidates"];
  return textIn(Array.isArray(candidates) ? candidates[0] : null, "finishReason");
}

/** Thoughts are counted beside the candidates, and what is 0 is left out. */
function outputOf(usage: Record<string, unknown>): number {
  return (countIn(usage, "candidatesTokenCount") ?? 0) + (countIn(usage, "thoughtsTokenCount") ?? 0);
}
