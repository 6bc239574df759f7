import type { Ask, JsonObject } from "../dialect.ts";
import { readModel } from "../ask/read-field.ts";
import { invalid } from "../ask/refusal.ts";

const MEMBERS: ReadonlySet<string> = new Set(["model", "input", "dimensions", "encoding_format", "user"]);
const MOST_INPUTS = 2_048;
const MOST_TOKENS_EACH = 8_192;
const MOST_TOKENS = 300_000;
/** Of the vocabulary that these models have. */
const LAST_TOKEN = 100_276;

/** What is to be embedded: texts, or lists of tokens. */
export type Input = string | readonly number[];

/** Reads a request for embeddings and refuses what OpenAI refuses. */
export function readEmbeddings(body: JsonObject): Ask {
  const stranger = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (stranger !== undefined) throw invalid(`Unrecognized request argument supplied: ${stranger}`);
  const { encoding_format: encoding = "float", dimensions, user } = body;
  if (encoding !== "float" && encoding !== "base64")
    throw invalid(`'${String(encoding)}' is not one of ['float', 'base64'] - 'encoding_format'`);
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && Number(dimensions) >= 1))
    throw invalid(`${JSON.stringify(dimensions)} is less than the minimum of 1 - 'dimensions'`);
  if (user !== undefined && typeof user !== "string") throw invalid("user: must be a string", "user");
  const inputs = inputsIn(body);
  const tokens = inputs.map(tokensOf);
  if (tokens.some((count) => count > MOST_TOKENS_EACH))
    throw invalid(
      `This model's maximum context length is ${MOST_TOKENS_EACH} tokens, however you requested ${Math.max(...tokens)} tokens. Please reduce your prompt.`,
    );
  if (tokens.reduce((sum, count) => sum + count, 0) > MOST_TOKENS)
    throw invalid(`Invalid 'input': maximum request size is ${MOST_TOKENS} tokens per request.`);
  return {
    model: readModel(body),
    streamed: false,
    limitTokens: null,
    choices: 1,
    streamUsage: false,
    prompt: inputs,
    stop: [],
    schema: null,
    body,
  };
}

/** A text counts a token for four bytes, so that a test can say what the provider will have counted. */
export const tokensOf = (input: Input): number =>
  typeof input === "string" ? Math.ceil(Buffer.byteLength(input) / 4) : input.length;

const wrong = () => invalid("'$.input' is invalid. Please check the API reference.", "input");

export function inputsIn({ input }: JsonObject): Input[] {
  if (typeof input === "string") return [textOf(input)];
  if (!Array.isArray(input) || input.length === 0) throw wrong();
  const items: unknown[] = input;
  if (typeof items[0] === "number") return [listOf(items)];
  if (items.length > MOST_INPUTS) throw wrong();
  if (typeof items[0] === "string") return items.map(textOf);
  return items.map(listOf);
}

function textOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw wrong();
  return value;
}

function listOf(value: unknown): number[] {
  if (!Array.isArray(value) || value.length === 0) throw wrong();
  const list: unknown[] = value;
  return list.map((token) => {
    if (typeof token !== "number" || !Number.isInteger(token) || token < 0 || token > LAST_TOKEN) throw wrong();
    return token;
  });
}
