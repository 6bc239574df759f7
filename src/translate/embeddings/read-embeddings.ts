import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { Fault } from "../../core/fault.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { EmbeddingEncoding } from "../../wire/embeddings/embeddings-request.ts";
import { readEmbeddingsUsage } from "../../wire/embeddings/embeddings-usage.ts";
import { decodeVector, encodeVector, lengthOfVector } from "../../wire/embeddings/vector.ts";
import { findMembers } from "../../wire/json/members.ts";
import { outlineOf } from "../../wire/json/outline.ts";

/** What was asked for. */
export type AskedEmbeddings = { inputs: number; encoding: EmbeddingEncoding; model: string };

/**
 * An answer that is ready for the caller but for its usage, which is what is charged: `bytes` are all of it up to there, without the brace
 * that ends it.
 */
export type EmbeddingsAnswer = { bytes: Buffer; usage: Usage | null };

/** The largest batch of the longest vectors in use, as numbers, has six million. */
const MOST_VALUES = 8_000_000;
const DEEPEST = 16;

/** An answer of OpenAI's wire, checked for being one vector for each input. Vectors stay the bytes they are, unless they came in another encoding. */
export function readEmbeddings(bytes: Buffer, asked: AskedEmbeddings): EmbeddingsAnswer {
  const answer = parse(bytes);
  const { data } = answer;
  if (!Array.isArray(data)) throw notOne();
  const rows: readonly unknown[] = data;
  if (rows.length !== asked.inputs) throw notOne();
  const items = rows.map(readItem);
  requirePlaces(items);
  requireOneLength(items);
  const given = findMembers(bytes).list.find(({ name }) => name === "data");
  const asItIs = given !== undefined && items.every((item, index) => isAsAsked(item, index, asked.encoding));
  const written = asItIs ? bytes.subarray(given.valueStart, given.valueEnd) : rewritten(items, asked.encoding);
  return {
    bytes: Buffer.concat([
      Buffer.from(`{"object":"list","data":`),
      written,
      Buffer.from(`,"model":${JSON.stringify(asked.model)}`),
    ]),
    usage: readEmbeddingsUsage(answer["usage"]),
  };
}

/** With the usage that is charged, and its end. */
export const withUsage = ({ bytes }: Pick<EmbeddingsAnswer, "bytes">, { inputTokens }: Usage): Buffer =>
  Buffer.concat([
    bytes,
    Buffer.from(`,"usage":${JSON.stringify({ prompt_tokens: inputTokens, total_tokens: inputTokens })}}`),
  ]);

function parse(bytes: Buffer): Json {
  const { values, depth } = outlineOf(bytes, { depth: DEEPEST, values: MOST_VALUES });
  if (values > MOST_VALUES || depth > DEEPEST) {
    throw new Fault("upstream_error", "The provider's response holds more than a response may. Send fewer inputs.");
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new Fault("upstream_error", "The provider's response can't be read. It is safe to retry.", { cause });
  }
  if (!isObject(value)) throw notOne();
  return value;
}

type Vector = readonly number[] | string;

/** `index`: as the provider gives it; null: it gives none. `length`: how many numbers it has. */
type Item = { index: number | null; vector: Vector; length: number; hasKind: boolean };

function readItem(row: unknown): Item {
  if (!isObject(row)) throw notOne();
  const { index, embedding: vector, object } = row;
  if (index !== undefined && (typeof index !== "number" || !Number.isInteger(index))) throw notOne();
  if (!isVector(vector)) throw notOne();
  const length = typeof vector === "string" ? lengthOfVector(vector) : vector.length;
  if (length === null || length === 0) throw notOne();
  return { index: index ?? null, vector, length, hasKind: object === "embedding" };
}

const isVector = (value: unknown): value is Vector =>
  typeof value === "string" || (Array.isArray(value) && value.every((one) => Number.isFinite(one)));

/** Every input has one vector. A provider that says no index gives them in the order of the inputs. */
function requirePlaces(items: readonly Item[]): void {
  const places = new Set(items.map(({ index }, place) => index ?? place));
  const isOurs = (place: number): boolean => place >= 0 && place < items.length;
  if (places.size !== items.length || ![...places].every(isOurs)) throw notOne();
}

function requireOneLength(items: readonly Item[]): void {
  if (items.some(({ length }) => length !== items[0]?.length)) throw notOne();
}

const isAsAsked = ({ index, vector, hasKind }: Item, place: number, encoding: EmbeddingEncoding): boolean =>
  hasKind && index === place && (typeof vector === "string") === (encoding === "base64");

function rewritten(items: readonly Item[], encoding: EmbeddingEncoding): Buffer {
  const rows = items
    .map(({ index, vector }, place) => ({
      object: "embedding",
      index: index ?? place,
      embedding: encodedAs(encoding, vector),
    }))
    .toSorted((one, other) => one.index - other.index);
  return Buffer.from(JSON.stringify(rows));
}

function encodedAs(encoding: EmbeddingEncoding, vector: Vector): Vector {
  if (typeof vector === "string") {
    if (encoding === "base64") return vector;
    const numbers = decodeVector(vector);
    if (numbers === null) throw notOne();
    return numbers;
  }
  if (encoding === "float") return vector;
  const text = encodeVector(vector);
  if (text === null) throw notOne();
  return text;
}

const notOne = (): Fault =>
  new Fault("upstream_error", "The provider's response is not one embedding for each input. It is safe to retry.");
