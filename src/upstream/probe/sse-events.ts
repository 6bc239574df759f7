import { isObject } from "../../core/bytes/is-object.ts";

/** One event of a stream as it was sent, line by line. */
export type SseEvent = { lines: readonly string[]; name: string | null; data: string };

/** Takes a whole stream apart. Comments are for nobody; an event that was not closed by an empty line is one all the same. */
export function readSseEvents(text: string): SseEvent[] {
  return text
    .split(/(?:\r\n|\n|\r){2,}/)
    .map((block) => block.split(/\r\n|\n|\r/).filter((line) => line !== "" && !line.startsWith(":")))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({ lines, name: fieldOf(lines, "event"), data: fieldOf(lines, "data") ?? "" }));
}

function fieldOf(lines: readonly string[], name: string): string | null {
  const values = lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1));
  return values.length === 0 ? null : values.map((value) => value.replace(/^ /, "")).join("\n");
}

/** The object an event carries; null when it carries none. */
export function objectIn(data: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(data) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
