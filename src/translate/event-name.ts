const COLON = 0x3a;
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const FIELD = "event";

const NO_LINE = Buffer.alloc(0);

/**
 * Tells the name of an event from its first line, without reading the rest: null when the first line is no `event:` line; the data
 * must then be asked. Most events of a stream have the name of the one before, so that line is remembered.
 */
export function createEventName(): (bytes: Buffer, start: number, end: number) => string | null {
  let line: Buffer = NO_LINE;
  let name: string | null = null;
  return (bytes, start, end) => {
    if (line.length > 0 && beginsWith(bytes, start, line)) return name;
    name = eventName(bytes, start, end);
    const lineFeed = bytes.indexOf(LF, start);
    line =
      name === null || lineFeed === -1 || lineFeed >= end ? NO_LINE : Buffer.from(bytes.subarray(start, lineFeed + 1));
    return name;
  };
}

function beginsWith(bytes: Buffer, start: number, line: Buffer): boolean {
  for (let n = 0; n < line.length; n++) if (bytes[start + n] !== line[n]) return false;
  return true;
}

function eventName(bytes: Buffer, start: number, end: number): string | null {
  const colon = start + FIELD.length;
  if (bytes[colon] !== COLON || bytes.toString("latin1", start, colon) !== FIELD) return null;
  const from = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
  let to = bytes.indexOf(LF, from);
  if (to === -1 || to > end) to = end;
  if (bytes[to - 1] === CR) to--;
  return bytes.toString("latin1", from, to);
}
