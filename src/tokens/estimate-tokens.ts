/**
 * Guesses the tokens of a text in one pass and without a vocabulary: see the test beside it for how far it may be off, kind by
 * kind. Money is set aside by bytes instead: no
 * byte-level vocabulary makes more than one token of a byte of UTF-8.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  let kind = END;
  let run = 0;
  let rare = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = unit < 128 ? (KINDS[unit] as number) : BEYOND;
    if (next !== kind) {
      quarters += costOf(kind, run) + costOfRare(run, rare);
      kind = next;
      run = 0;
      rare = 0;
    } else if (next === LOWER && (((COMMON_PAIRS[last - LOWER_A] as number) >>> (unit - LOWER_A)) & 1) === 0) rare++;
    run++;
    last = unit;
    if (next === BEYOND) quarters += QUARTERS[unit >>> 7] as number;
  }
  return Math.ceil((quarters + costOf(kind, run) + costOfRare(run, rare)) / 4);
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const MARK = 6;
const BEYOND = 7;
const END = 8;

const LOWER_A = 0x61;

const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (unit === 0x20) return SPACE;
  if (unit === 0x0a || unit === 0x0d || unit === 0x09) return NEWLINE;
  return unit > 0x20 && unit < 0x7f ? MARK : OTHER;
});

/**
 * Which letters follow a letter, from `a` to `z`, a bit each: pairs that make up at least 3 in 10,000 of those in the words of
 * a large vocabulary. Words without them are cut into more pieces.
 */
const COMMON_PAIRS = Uint32Array.of(
  0x3febfff,
  0x164913,
  0x11e4d95,
  0x1164919,
  0x3ffffff,
  0x1a4931,
  0x1e69d1,
  0x11a6911,
  0x2bfffff,
  0x104111,
  0x1e4d11,
  0x13c5d59,
  0x14d113,
  0x33c6ffd,
  0x1feffff,
  0x1ec991,
  0x100000,
  0x13efd7f,
  0x15cdd95,
  0x35e4995,
  0x2ebd7f,
  0x4111,
  0x46191,
  0x88110,
  0x4f911,
  0x4111,
);

/** Scripts whose words a vocabulary knows, as quarters of a token per character. */
const KNOWN_SCRIPTS: readonly [from: number, to: number, quarters: number][] = [
  [0x0080, 0x017f, 2],
  [0x0380, 0x047f, 2],
  [0x0500, 0x06ff, 2],
  [0x0900, 0x09ff, 2],
  [0x0a00, 0x0a7f, 3],
  [0x0a80, 0x0aff, 2],
  [0x0b00, 0x0b7f, 4],
  [0x0b80, 0x0d7f, 2],
  [0x0d80, 0x0dff, 3],
  [0x0e00, 0x0e7f, 2],
  [0x0e80, 0x0eff, 8],
  [0x0f00, 0x0fff, 7],
  [0x1000, 0x107f, 3],
  [0x1080, 0x10ff, 2],
  [0x1200, 0x137f, 10],
  [0x1780, 0x17ff, 3],
  [0x1e80, 0x1eff, 3],
  [0x2000, 0x207f, 4],
  [0x2100, 0x23ff, 8],
  [0x2500, 0x257f, 5],
  [0x2580, 0x27ff, 8],
  [0x3000, 0x30ff, 3],
  [0x4e00, 0x9fff, 3],
  [0xac00, 0xd7ff, 3],
  // Halves of characters of four bytes: rare ones are three tokens.
  [0xd800, 0xdfff, 6],
  [0xff00, 0xff7f, 6],
];

/** Per 128 characters; those of scripts that no vocabulary knows are a token per byte. */
const QUARTERS = Uint8Array.from({ length: 512 }, (_, block) => {
  const from = block * 128;
  const known = KNOWN_SCRIPTS.find((script) => script[0] <= from && from <= script[1]);
  return known?.[2] ?? (from < 0x800 ? 8 : 12);
});

/** Quarters of a token for a run of one kind. */
function costOf(kind: number, run: number): number {
  switch (kind) {
    case LOWER:
      // A common word is one token; what goes on longer is cut into pieces, and past any word it is noise.
      if (run <= 6) return 4;
      return run <= 20 ? run - 2 : 18 + (run - 20) * 2;
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
    case OTHER:
      return run * 4;
    default:
      return 0;
  }
}

/** What is longer than any word was taken for noise already. */
const costOfRare = (run: number, rare: number): number =>
  rare === 0 ? 0 : Math.min(rare * 3, run <= 20 ? run * 2 : (run * 3) >> 2);
