import { createParser } from "eventsource-parser";

/** The text of an event's `data` fields; null when it has none, as a comment or a lone `event:` line. */
export function eventData(event: Buffer): string | null {
  const text = event.toString("utf8");
  return loneData(text) ?? parsedData(text);
}

/**
 * The data of an event in the one form that providers write: at most a line with its name, one line of data, and a blank line. Null for all
 * others, which the parser reads. To make a parser takes longer than to read an event.
 */
function loneData(text: string): string | null {
  const start = text.startsWith("event:") ? text.indexOf("\n") + 1 : 0;
  if (!text.startsWith("data: ", start)) return null;
  const from = start + "data: ".length;
  const end = text.indexOf("\n", from);
  const isLast = end > from && end === text.length - 2 && text.endsWith("\n\n");
  return isLast && !text.includes("\r") ? text.slice(from, end) : null;
}

function parsedData(text: string): string | null {
  let data: string | null = null;
  const parser = createParser({ onEvent: (message) => (data = message.data) });
  parser.feed(text);
  return data;
}
