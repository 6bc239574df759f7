/** Counts tokens by a real vocabulary. */
export type TextCounter = (text: string) => number;

/**
 * Runs without a break are cut, because merging one long run is quadratic: 64 KiB of one letter takes seconds whole. Spaces go
 * with the word after them and line ends with the one before, as in the vocabulary.
 */
const PIECES = /[^\S\r\n]{0,64}\S{1,256}[\r\n]{0,64}|\s{1,256}/gu;

/** Past this many characters the rest is taken to be like what came before it. */
const COUNTED_CHARACTERS = 262_144;

/** Marks such as `<|im_start|>` are text in what a caller or a model says; the vocabulary would refuse to count them. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * The vocabulary most providers' are close to (o200k). It takes a fifth of a second and some 70 MiB to load, so it is loaded
 * when it is first wanted, and not in the main thread.
 */
export async function loadCountTokens(): Promise<TextCounter> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  return (text) => {
    const counted = text.slice(0, COUNTED_CHARACTERS);
    let tokens = 0;
    for (const [piece] of counted.matchAll(PIECES)) tokens += countTokens(piece, PLAIN_TEXT);
    return counted.length === text.length ? tokens : Math.ceil((tokens * text.length) / counted.length);
  };
}
