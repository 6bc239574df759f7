import type { Examination } from "../../core/catalogue/probe.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { countIn } from "./examination.ts";
import { objectIn, type SseEvent } from "./sse-events.ts";

/** Holds a stream of Converse against what its translation needs of one. No event names the model. */
export function examineConverse(events: readonly SseEvent[]): Examination {
  const read = events.map(({ name, data }) => ({ name, data: objectIn(data) }));
  const usage = read.findLast(({ name }) => name === "metadata")?.data?.["usage"];
  const rules: [boolean, string][] = [
    [read.every(({ data }) => data !== null), "every event is a JSON object"],
    [read.some(({ data }) => typeof data?.["stopReason"] === "string"), "messageStop has a stopReason"],
    [read.at(-1)?.name === "metadata", "the last event is metadata"],
  ];
  return {
    broken: rules.filter(([kept]) => !kept).map(([, rule]) => rule),
    model: "",
    usage: isObject(usage)
      ? { inputTokens: countIn(usage, "inputTokens"), outputTokens: countIn(usage, "outputTokens") }
      : null,
  };
}
