import { createParser } from "eventsource-parser";

/** The text of an event's `data` fields; null when it has none, as a comment or a lone `event:` line. */
export function eventData(event: Buffer): string | null {
  let data: string | null = null;
  const parser = createParser({ onEvent: (message) => (data = message.data) });
  parser.feed(event.toString("utf8"));
  return data;
}
