/**
 * What providers bill, and the parts of a charge that each is the sum of. A part counts for the kind with the fewest parts that a bill
 * speaks of: thoughts are output, unless the bill has a line for them.
 */
const KINDS = {
  input: ["input", "input_audio", "input_image", "input_video"],
  input_audio: ["input_audio"],
  input_image: ["input_image"],
  input_video: ["input_video"],
  cache_read: ["cache_read", "cache_read_audio"],
  cache_read_audio: ["cache_read_audio"],
  cache_write: ["cache_write_5m", "cache_write_1h"],
  cache_write_5m: ["cache_write_5m"],
  cache_write_1h: ["cache_write_1h"],
  prompt: [
    "input",
    "input_audio",
    "input_image",
    "input_video",
    "cache_read",
    "cache_read_audio",
    "cache_write_5m",
    "cache_write_1h",
  ],
  output: ["output", "output_reasoning", "output_audio", "output_image"],
  output_reasoning: ["output_reasoning"],
  output_audio: ["output_audio"],
  output_image: ["output_image"],
} as const satisfies Record<string, readonly string[]>;

/** Billed, and part of no request. */
const BESIDE_REQUESTS: ReadonlySet<string> = new Set(["storage", "container", "fee"]);

const TOOL = /^tools\.[\w.-]{1,100}$/;

export const BILLED_KINDS: readonly string[] = [...Object.keys(KINDS), "tools.NAME", ...BESIDE_REQUESTS];

/** Every part that is tokens. */
export const TOKEN_PARTS: ReadonlySet<string> = new Set(Object.values(KINDS).flat());
export const INPUT_PARTS: ReadonlySet<string> = new Set(KINDS.prompt);

export const isTool = (kind: string): boolean => TOOL.test(kind);
export const isBesideRequests = (kind: string): boolean => BESIDE_REQUESTS.has(kind);
export const isKind = (kind: string): boolean => Object.hasOwn(KINDS, kind) || isTool(kind) || isBesideRequests(kind);

/** The parts of a charge that a kind is the sum of; none: it is part of no request. */
export function partsOf(kind: string): readonly string[] {
  if (isTool(kind)) return [kind];
  return (KINDS as Readonly<Record<string, readonly string[]>>)[kind] ?? [];
}

/** Which of the kinds a part counts for; null: none of them speaks of it. */
export function kindOf(part: string, kinds: Iterable<string>): string | null {
  let found: string | null = null;
  for (const kind of kinds) {
    const parts = partsOf(kind);
    if (parts.includes(part) && (found === null || parts.length < partsOf(found).length)) found = kind;
  }
  return found;
}

export const inOrder = (one: string, other: string): number => placeOf(one) - placeOf(other);

const ORDER = Object.keys(KINDS);
const placeOf = (kind: string): number => {
  const place = ORDER.indexOf(kind);
  return place < 0 ? ORDER.length : place;
};
