const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How much structure a JSON text has: how deep it nests, how many values it holds, give or take the empty ones, and how many names. */
export type Outline = { depth: number; values: number; names: number };

/**
 * Measures a text that nobody has parsed yet, and stops where a bound is passed: a few bytes per value make objects of
 * fifty, so what is too much must be known before the parser builds it. A text that is not JSON has some outline too, and
 * the parser says the rest.
 */
export function outlineOf(bytes: Buffer, most: Pick<Outline, "depth" | "values">): Outline {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let names = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = closingQuote(bytes, at);
    } else if (byte === 0x3a) {
      names++;
    } else if (byte === 0x2c) {
      values++;
      if (values > most.values) break;
    } else if (byte === 0x7b || byte === 0x5b) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
      if (depth > most.depth || values > most.values) break;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return { depth: deepest, values, names };
}

/** Where the string that opens here closes; the end of the text when it does not. */
export function closingQuote(bytes: Buffer, opening: number): number {
  // Names and most values are short, and a call of the runtime's search costs as much as to look at a few bytes.
  const near = Math.min(bytes.length, opening + NEAR_BYTES);
  for (let at = opening + 1; at < near; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return farQuote(bytes, opening);
}

const NEAR_BYTES = 48;

function farQuote(bytes: Buffer, opening: number): number {
  const close = bytes.indexOf(QUOTE, opening + 1);
  if (close === -1) return bytes.length;
  if (!isEscaped(bytes, close)) return close;
  // Byte by byte: a text may be nothing but escaped quotes, and a search for each costs more than to look at it.
  let at = close + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length);
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
