import { isObject } from "../../core/bytes/is-object.ts";
import { ExportError } from "../export-error.ts";

/** A number as it was written: a float would round money before it is compared. */
export type WrittenNumber = { written: string };

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

const keepNumbers: Reviver = (_, value, { source }) =>
  typeof value === "number" ? { written: source ?? String(value) } : value;

export function parseExactJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text, keepNumbers as Parameters<typeof JSON.parse>[1]) as unknown;
  } catch {
    const whole = /[}\]]\s*$/.test(text.slice(-1_000));
    throw new ExportError(place, whole ? "this is not valid JSON" : "the JSON ends too early; is the file complete?");
  }
}

export const isWrittenNumber = (value: unknown): value is WrittenNumber =>
  isObject(value) && typeof value["written"] === "string";
