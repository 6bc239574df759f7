import { isObject } from "../../core/bytes/is-object.ts";
import { type Decimal, parseDecimal } from "../../core/money/decimal.ts";
import type { JsonRow } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";
import { isWrittenNumber } from "./exact-json.ts";

/** A member that is an object; empty where there is none. */
export const objectIn = (row: JsonRow, name: string): JsonRow => {
  const value = row[name];
  return isObject(value) ? value : {};
};

export function listIn(row: JsonRow, name: string, place: string): readonly JsonRow[] {
  const value = row[name];
  if (!Array.isArray(value)) throw new ExportError(place, `${name} is no list`);
  return value.map((entry: unknown, index) => {
    if (!isObject(entry)) throw new ExportError(place, `${name}[${index}] is no object`);
    return entry;
  });
}

/** Null where it is absent, null or empty. */
export function textIn(row: JsonRow, name: string, place: string): string | null {
  const value = row[name] ?? null;
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw new ExportError(place, `${name} is no text`);
  return value;
}

/** A number or its text; null where it is absent. */
export function decimalIn(row: JsonRow, name: string, place: string): Decimal | null {
  const value = row[name] ?? null;
  if (value === null || value === "") return null;
  const text = isWrittenNumber(value) ? value.written : typeof value === "string" ? value.trim() : "";
  const decimal = parseDecimal(text);
  if (decimal === null) throw new ExportError(place, `${name} is no number`);
  return decimal;
}

/** How much was used: never less than nothing. */
export function quantityIn(row: JsonRow, name: string, place: string): Decimal | null {
  const quantity = decimalIn(row, name, place);
  if (quantity !== null && quantity.digits < 0n) throw new ExportError(place, `${name} is below zero`);
  return quantity;
}

export const required = <Value>(value: Value | null, name: string, place: string): Value => {
  if (value === null) throw new ExportError(place, `${name} is missing`);
  return value;
};

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** Seconds since the epoch. */
export function epochIn(row: JsonRow, name: string, place: string): number {
  const seconds = required(decimalIn(row, name, place), name, place);
  const whole = seconds.exponent === 0 ? Number(seconds.digits) : Number.NaN;
  if (!Number.isSafeInteger(whole * SECOND_MS)) throw new ExportError(place, `${name} is no time in seconds`);
  return whole * SECOND_MS;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z| UTC|[+-]\d{2}:?\d{2})?$/;

/** A moment; without a zone it is in UTC. */
export function momentIn(row: JsonRow, name: string, place: string): number {
  const text = required(textIn(row, name, place), name, place);
  const [, day, time, zone = "Z"] = ISO.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${zone === " UTC" ? "Z" : zone}`);
  if (Number.isNaN(ms)) throw new ExportError(place, `${name} is no moment: ${text}`);
  return ms;
}

/** A day in UTC, as `2026-11-16` or as `11/16/2026`. */
export function dayIn(row: JsonRow, name: string, place: string): { fromMs: number; toMs: number } {
  const text = required(textIn(row, name, place), name, place);
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  const iso = year === undefined ? text.slice(0, 10) : `${year}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}`;
  const fromMs = /^\d{4}-\d{2}-\d{2}$/.test(iso) ? Date.parse(`${iso}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(fromMs)) throw new ExportError(place, `${name} is no day: ${text}`);
  return { fromMs, toMs: fromMs + DAY_MS };
}
