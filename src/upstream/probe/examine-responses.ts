import { isObject } from "../../core/bytes/is-object.ts";
import type { Examination } from "../../core/catalogue/probe.ts";
import { countIn, textIn } from "./examination.ts";
import { objectIn, type SseEvent } from "./sse-events.ts";

/** Holds a stream of responses against what official clients need of one. */
export function examineResponses(events: readonly SseEvent[]): Examination {
  const read = events.map(({ name, data }) => ({ name, data: objectIn(data) }));
  const types = read.map(({ data }) => String(data?.["type"]));
  const numbers = read.map(({ data }) => data?.["sequence_number"]);
  const whole = read.findLast(({ data }) => isObject(data?.["response"]))?.data?.["response"];
  const response = isObject(whole) ? whole : {};
  const usage = response["usage"];
  const rules: [boolean, string][] = [
    [read.every(({ name, data }) => data !== null && data["type"] === name), "every event is named after its type"],
    [types[0] === "response.created", "the first event is response.created"],
    [numbers.every((number, index) => number === index), "events are numbered from 0 on"],
    [hasSteadyIds(read.map(({ data }) => data ?? {})), "an item keeps its id"],
    [/^response\.(completed|incomplete)$/.test(types.at(-1) ?? ""), "the last event is response.completed"],
  ];
  return {
    broken: rules.filter(([kept]) => !kept).map(([, rule]) => rule),
    model: textIn(response, "model"),
    usage: isObject(usage)
      ? { inputTokens: countIn(usage, "input_tokens"), outputTokens: countIn(usage, "output_tokens") }
      : null,
  };
}

/** Clients find an item by its id, which some providers make anew for every event. */
function hasSteadyIds(events: readonly Record<string, unknown>[]): boolean {
  const ids = new Map<unknown, unknown>();
  return events.every((event) => {
    const place = event["output_index"];
    const id = event["item_id"] ?? (isObject(event["item"]) ? event["item"]["id"] : undefined);
    if (place === undefined || id === undefined) return true;
    if (!ids.has(place)) ids.set(place, id);
    return ids.get(place) === id;
  });
}
