const COLON = 0x3a;
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const FIELD = "event";

/**
 * The name of an event, from its first line, without reading the rest. Null when the first line is no `event:` line; the data
 * must then be asked.
 */
export function eventName(bytes: Buffer, start: number, end: number): string | null {
  const colon = start + FIELD.length;
  if (bytes[colon] !== COLON || bytes.toString("latin1", start, colon) !== FIELD) return null;
  const from = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
  let to = bytes.indexOf(LF, from);
  if (to === -1 || to > end) to = end;
  if (bytes[to - 1] === CR) to--;
  return bytes.toString("latin1", from, to);
}
