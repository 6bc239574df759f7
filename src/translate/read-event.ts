import { AnswerLimitError } from "../core/request/answer-limit.ts";
import { isObject } from "../core/bytes/is-object.ts";
import { outlineOf } from "../wire/json/outline.ts";
import { eventData } from "../wire/sse/event-data.ts";

/** More than the probabilities of a long answer come to. Without this bound an event of some MiB occupies the process for seconds. */
const MOST_VALUES = 500_000;
const WITHOUT_BOUND = Number.MAX_SAFE_INTEGER;

/** An event's data as an object: empty when it has no data, null when that is no JSON object. */
export function readEvent(text: Buffer): Record<string, unknown> | null {
  // A value has two bytes at least.
  if (
    text.length > MOST_VALUES * 2 &&
    outlineOf(text, { depth: WITHOUT_BOUND, values: MOST_VALUES }).values > MOST_VALUES
  )
    throw new AnswerLimitError(
      `The provider sent an event with more than ${MOST_VALUES.toLocaleString("en-US")} values, the limit.`,
    );
  const data = eventData(text);
  if (data === null) return {};
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** What an event says it is; null when it does not say. */
export function typeOf(data: Record<string, unknown> | null): string | null {
  return typeof data?.["type"] === "string" ? data["type"] : null;
}
