const LF = 10;
const CR = 13;
const DATA = Buffer.from("data:");
const NAME = Buffer.from("event:");
const SPACE = 32;

/** One server-sent event without its framing. `data` is null where it is only a comment. */
export type EventData = { name: string | null; data: Buffer | null };

/** Reads the event that stands at [start, end) of a buffer. Data on several lines is one text. [the EventSource standard] */
export function readEventData(bytes: Buffer, start: number, end: number): EventData {
  let name: string | null = null;
  let data: Buffer | null = null;
  for (let at = start; at < end;) {
    const lineFeed = bytes.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    const stop = lineEnd(bytes, at, next);
    if (startsWith(bytes, at, stop, DATA)) {
      const line = valueOf(bytes, at + DATA.length, stop);
      data = data === null ? line : Buffer.concat([data, Buffer.from("\n"), line]);
    } else if (startsWith(bytes, at, stop, NAME)) {
      name = valueOf(bytes, at + NAME.length, stop).toString();
    }
    at = next;
  }
  return { name, data };
}

/** Where the line that begins at `at` ends, without what ends it. */
function lineEnd(bytes: Buffer, at: number, next: number): number {
  let stop = next;
  while (stop > at && (bytes[stop - 1] === LF || bytes[stop - 1] === CR)) stop--;
  return stop;
}

const startsWith = (bytes: Buffer, at: number, stop: number, field: Buffer): boolean =>
  stop - at >= field.length && bytes.compare(field, 0, field.length, at, at + field.length) === 0;

const valueOf = (bytes: Buffer, from: number, stop: number): Buffer =>
  bytes.subarray(from < stop && bytes[from] === SPACE ? from + 1 : from, stop);
