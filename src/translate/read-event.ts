import { isObject } from "../core/is-object.ts";
import { eventData } from "../wire/sse/event-data.ts";

/** An event's data as an object: empty when it has no data, null when that is no JSON object. */
export function readEvent(text: Buffer): Record<string, unknown> | null {
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
