import { isObject } from "../../core/bytes/is-object.ts";
import type { Examination } from "../../core/catalogue/probe.ts";
import { countIn, textIn } from "./examination.ts";
import { objectIn, type SseEvent } from "./sse-events.ts";

/** Holds a stream of messages against what official clients need of one. */
export function examineMessages(events: readonly SseEvent[]): Examination {
  const read = events.map(({ name, data }) => ({ name, data: objectIn(data) }));
  const types = read.map(({ data }) => String(data?.["type"]));
  const started = read.find(({ data }) => data?.["type"] === "message_start")?.data?.["message"];
  const ended = read.findLast(({ data }) => data?.["type"] === "message_delta")?.data;
  const [first, last] = [isObject(started) ? started["usage"] : null, ended?.["usage"]];
  const delta = ended?.["delta"];
  const rules: [boolean, string][] = [
    [read.every(({ name, data }) => data !== null && data["type"] === name), "every event is named after its type"],
    [types[0] === "message_start", "the first event is message_start"],
    [types.indexOf("message_start") === types.lastIndexOf("message_start"), "message_start comes once"],
    [isObject(delta) && typeof delta["stop_reason"] === "string", "message_delta has a stop_reason"],
    [types.at(-1) === "message_stop", "the last event is message_stop"],
  ];
  return {
    broken: rules.filter(([kept]) => !kept).map(([, rule]) => rule),
    model: textIn(started, "model"),
    usage:
      isObject(first) || isObject(last)
        ? {
            inputTokens: isObject(first) ? countIn(first, "input_tokens") : null,
            outputTokens: isObject(last) ? countIn(last, "output_tokens") : null,
          }
        : null,
  };
}
