import type { InputEstimate } from "../core/input-estimate.ts";
import type { ModelInput, ModelMedia } from "../core/model-input.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Tokens of a picture. Providers scale it down first, so its bytes do not matter: 85 for the small version up to 4,784. */
const IMAGE = { likely: { low: 100, high: 1_600 }, most: { low: 3_000, high: 5_000 } } as const;

/** A page is up to 3,000 tokens of text and a picture of 1,600. Compressed, a hundred of them fit into a few kilobytes. */
const DOCUMENT_MOST_TOKENS = 100 * 4_600;
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
 * every text in it, and what providers add is added.
 */
export function estimateInput(input: ModelInput, bodyBytes: number): InputEstimate {
  const likely = sum(input.texts, estimateTokens) + sum(input.json, estimateTokens) + besideText(input);
  const carried = sum(input.media, ({ carriedCharacters }) => carriedCharacters);
  const most =
    bodyBytes -
    carried +
    sum(input.media, mostOfMedia) +
    sum(input.json, (text) => (Buffer.byteLength(text) - text.length) * ESCAPE_GROWTH) +
    input.jsonValues * JSON_VALUE_MOST_TOKENS +
    input.nativeTools * NATIVE_TOOL.most +
    (input.json.length > 0 ? TOOL_PROMPT_MOST_TOKENS : 0);
  return {
    likely: Math.min(likely, most),
    most,
    mostPredicted: sum(input.predicted, (text) => Buffer.byteLength(text)),
  };
}

/** The tokens of an input that are not its text's: media, and what providers write around messages and tools. */
export function besideText(input: ModelInput): number {
  return (
    sum(input.media, likelyOfMedia) +
    Math.ceil(input.sealedCharacters / SEALED_CHARACTERS_PER_TOKEN) +
    input.messages * MESSAGE_TOKENS +
    REPLY_TOKENS +
    input.tools * TOOL_TOKENS +
    input.nativeTools * NATIVE_TOOL.likely
  );
}

function likelyOfMedia({ kind, detail, carriedCharacters }: ModelMedia): number {
  if (kind === "image") return IMAGE.likely[detail];
  return Math.max(DOCUMENT_LEAST_LIKELY_TOKENS, Math.ceil(carriedCharacters / DOCUMENT_CHARACTERS_PER_TOKEN));
}

const mostOfMedia = ({ kind, detail, carriedCharacters }: ModelMedia): number =>
  kind === "image" ? IMAGE.most[detail] : Math.max(DOCUMENT_MOST_TOKENS, carriedCharacters);

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += tokensOf(item);
  return total;
}
