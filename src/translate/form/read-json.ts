import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";

/** The objects of a list; what is no list has none. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

export const objectOrNull = (value: unknown): Json | null => (isObject(value) ? value : null);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

export const booleanOrNull = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);

/** Without the members that say nothing, so that a provider is told only what was asked. */
export function said(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
