import type { InputEstimate, MediaCount } from "../core/request/input-estimate.ts";
import type { ModelInput, ModelMedia } from "../core/request/model-input.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Tokens of a picture. Providers scale it down first, so its bytes do not matter. The most is a matter of the model. */
const IMAGE = { low: 100, high: 1_600 } as const;

const DOCUMENT_LEAST_LIKELY_TOKENS = 3_000;
const DOCUMENT_CHARACTERS_PER_TOKEN = 64;

/** What providers write around each message and each tool. */
const MESSAGE_TOKENS = 4;
const REPLY_TOKENS = 3;
const TOOL_TOKENS = 8;
/** What a provider tells its model about tools when there are any, and about each tool that it describes itself. */
const TOOL_PROMPT_MOST_TOKENS = 600;
const NATIVE_TOOL = { likely: 500, most: 1_500 } as const;
/** Indentation, and numbers written in full. */
const JSON_VALUE_MOST_TOKENS = 4;
/** A character outside ASCII of two bytes may be written as an escape of six. */
const ESCAPE_GROWTH = 4;
const SEALED_CHARACTERS_PER_TOKEN = 6;

/**
 * Estimates a request's input. `most` is a bound: a token is at least a byte of UTF-8, the body holds at least the bytes of
 * every text in it, and what providers add is added. Media are counted beside it.
 */
export function estimateInput(input: ModelInput, bodyBytes: number): InputEstimate {
  const likely = sum(input.texts, estimateTokens) + sum(input.json, estimateTokens) + besideMedia(input);
  const carried = sum(input.media, ({ carriedCharacters }) => carriedCharacters);
  const most =
    bodyBytes -
    carried +
    sum(input.json, (text) => (Buffer.byteLength(text) - text.length) * ESCAPE_GROWTH) +
    input.jsonValues * JSON_VALUE_MOST_TOKENS +
    input.nativeTools * NATIVE_TOOL.most +
    (input.json.length > 0 ? TOOL_PROMPT_MOST_TOKENS : 0);
  return {
    likely: Math.min(likely, most) + sum(input.media, likelyOfMedia),
    most,
    mostPredicted: sum(input.predicted, (text) => Buffer.byteLength(text)),
    ...(input.media.length === 0 ? {} : { media: countMedia(input.media) }),
  };
}

function countMedia(media: readonly ModelMedia[]): MediaCount {
  const count = { images: 0, smallImages: 0, documents: 0, largestDocumentCharacters: 0, others: 0 };
  for (const { kind, detail, carriedCharacters } of media) {
    if (kind === "image") count[detail === "low" ? "smallImages" : "images"]++;
    else if (kind === "other") count.others++;
    else {
      count.documents++;
      count.largestDocumentCharacters = Math.max(count.largestDocumentCharacters, carriedCharacters);
    }
  }
  return count;
}

/** The tokens of an input that are not its text's: media, and what providers write around messages and tools. */
export const besideText = (input: ModelInput): number => sum(input.media, likelyOfMedia) + besideMedia(input);

function besideMedia(input: ModelInput): number {
  return (
    Math.ceil(input.sealedCharacters / SEALED_CHARACTERS_PER_TOKEN) +
    input.messages * MESSAGE_TOKENS +
    REPLY_TOKENS +
    input.tools * TOOL_TOKENS +
    input.nativeTools * NATIVE_TOOL.likely
  );
}

function likelyOfMedia({ kind, detail, carriedCharacters }: ModelMedia): number {
  if (kind === "image") return IMAGE[detail];
  return Math.max(DOCUMENT_LEAST_LIKELY_TOKENS, Math.ceil(carriedCharacters / DOCUMENT_CHARACTERS_PER_TOKEN));
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += tokensOf(item);
  return total;
}
