import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "./refusal.ts";

/** Names are kept by the witness and as cache keys. */
export const LONGEST_MODEL_NAME = 1000;

export function readModel(body: JsonObject): string {
  const { model } = body;
  if (typeof model !== "string" || model === "") throw invalid("model: a model name is required", "model");
  if (model.length > LONGEST_MODEL_NAME) throw invalid("model: the name is too long", "model");
  return model;
}

export function readStreamed(body: JsonObject): boolean {
  const { stream } = body;
  if (stream === undefined || stream === null) return false;
  if (typeof stream !== "boolean") throw invalid("stream: must be a boolean", "stream");
  return stream;
}

export function readMessages(body: JsonObject): readonly unknown[] {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid("messages: at least one message is required", "messages");
  }
  return messages;
}

/** A positive integer, or null when the field is absent. */
export function readCount(body: JsonObject, field: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most) {
    throw invalid(`${field}: must be an integer of at least 1`, field);
  }
  return value;
}

/** Sequences to stop at: one, or several, or none. */
export function readStop(body: JsonObject, field: string): readonly string[] {
  const value = body[field];
  if (value === undefined || value === null) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (!given.every((sequence) => typeof sequence === "string")) throw invalid(`${field}: must be strings`, field);
  return given;
}

/** The JSON Schema an answer is to fit. Any object will do where JSON was asked for without one. */
export function readSchema(format: unknown, schema: unknown): JsonObject | null {
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "json_object") return { type: "object", properties: { text: { type: "string" } } };
  return type === "json_schema" && isObject(schema) ? schema : null;
}
