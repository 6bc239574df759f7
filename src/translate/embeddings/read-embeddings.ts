import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { Fault } from "../../core/fault.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { EmbeddingEncoding } from "../../wire/embeddings/embeddings-request.ts";
import { readEmbeddingsUsage } from "../../wire/embeddings/embeddings-usage.ts";
import { decodeVector, encodeVector, lengthOfVector } from "../../wire/embeddings/vector.ts";
import { findMembers, type MemberSpan } from "../../wire/json/members.ts";
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
const MOST = { depth: DEEPEST, values: MOST_VALUES };
/** `object`, `index` and `embedding`. */
const NAMES_OF_ROW = 3;

/** An answer of OpenAI's wire, checked for being one vector for each input. Vectors stay the bytes they are, unless they came in another encoding. */
export function readEmbeddings(bytes: Buffer, asked: AskedEmbeddings): EmbeddingsAnswer {
  const { value: answer, names } = parse(bytes);
  const { data } = answer;
  if (!Array.isArray(data)) throw notOne();
  const rows: readonly unknown[] = data;
  if (rows.length !== asked.inputs) throw notOne();
  const items = rows.map(readItem);
  requirePlaces(items);
  requireOneLength(items);
  const given = items.every((item, index) => isAsAsked(item, index, asked.encoding))
    ? dataIn(bytes, names - items.length * NAMES_OF_ROW)
    : null;
  const written = given ?? rewritten(items, asked.encoding);
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

/** What stands at `data`, where the answer has so many names beside those of its rows: of two equal ones, another may have been checked. */
function dataIn(bytes: Buffer, names: number): Buffer | null {
  const { list, duplicate } = findMembers(bytes);
  const valueOf = ({ valueStart, valueEnd }: MemberSpan): Buffer => bytes.subarray(valueStart, valueEnd);
  const beside = list.filter(({ name }) => name !== "data");
  const counted = beside.reduce((sum, member) => sum + outlineOf(valueOf(member), MOST).names, list.length);
  const data = list.find(({ name }) => name === "data");
  return data === undefined || duplicate !== null || counted !== names ? null : valueOf(data);
}

function parse(bytes: Buffer): { value: Json; names: number } {
  const { values, depth, names } = outlineOf(bytes, MOST);
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
  return { value, names };
}

type Vector = readonly number[] | string;

/** `index`: as the provider gives it; null: it gives none. `length`: how many numbers it has. `isBare`: it says what it is, and no more than a row does. */
type Item = { index: number | null; vector: Vector; length: number; isBare: boolean };

function readItem(row: unknown): Item {
  if (!isObject(row)) throw notOne();
  const { index, embedding: vector, object } = row;
  if (index !== undefined && (typeof index !== "number" || !Number.isInteger(index))) throw notOne();
  if (!isVector(vector)) throw notOne();
  const length = typeof vector === "string" ? lengthOfVector(vector) : vector.length;
  if (length === null || length === 0) throw notOne();
  const isBare = object === "embedding" && Object.keys(row).length === NAMES_OF_ROW;
  return { index: index ?? null, vector, length, isBare };
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

const isAsAsked = ({ index, vector, isBare }: Item, place: number, encoding: EmbeddingEncoding): boolean =>
  isBare && index === place && (typeof vector === "string") === (encoding === "base64");

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
