/**
 * Guesses the tokens of a text from its bytes, in one pass and without a vocabulary. It errs upwards rather than down, since
 * money is set aside by it: see the test beside it for how far, kind by kind. Exact counting of text a caller may choose is
 * quadratic in the worst case and has no place on the way in.
 */
export function estimateTokens(bytes: Uint8Array): number {
  let quarters = 0;
  let kind = OTHER;
  let run = 0;
  for (let at = 0; at <= bytes.length; at++) {
    const next = at === bytes.length ? END : (KINDS[bytes[at] as number] as number);
    if (next === kind) {
      run++;
      continue;
    }
    quarters += costOf(kind, run);
    kind = next;
    run = 1;
  }
  return Math.ceil(quarters / 4);
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const MARK = 6;
const TWO_BYTES = 7;
const THREE_BYTES = 8;
const FOUR_BYTES = 9;
const FOLLOWING = 10;
const END = 11;

/** What each byte is the beginning of. Bytes that continue a character cost nothing of their own. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0xf0) return FOUR_BYTES;
  if (byte >= 0xe0) return THREE_BYTES;
  if (byte >= 0xc0) return TWO_BYTES;
  if (byte >= 0x80) return FOLLOWING;
  const character = String.fromCharCode(byte);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (byte === 0x20) return SPACE;
  if (byte === 0x0a || byte === 0x0d || byte === 0x09) return NEWLINE;
  return byte > 0x20 && byte < 0x7f ? MARK : OTHER;
});

/** Quarters of a token for a run of one kind. */
function costOf(kind: number, run: number): number {
  switch (kind) {
    case LOWER:
      // A common word is one token; what goes on longer is cut into pieces, and past any word it is noise.
      if (run <= 6) return 4;
      return run <= 20 ? run - 2 : 18 + (run - 20) * 3;
    case UPPER:
      // One capital belongs to the word it begins.
      return run === 1 ? 1 : Math.ceil(run / 3) * 4 + (run > 20 ? run : 0);
    case DIGIT:
      return Math.ceil(run / 3) * 4;
    case SPACE:
      // One space belongs to the word after it.
      return run === 1 ? 0 : 4 + (run >> 4);
    case NEWLINE:
      return 3 + (run >> 2);
    case MARK:
      return run * 3 - (run > 1 ? 1 : 0);
    case TWO_BYTES:
      return run * 2;
    case THREE_BYTES:
      return run * 3;
    case FOUR_BYTES:
      return run * 11;
    case OTHER:
      return run * 4;
    default:
      return 0;
  }
}
