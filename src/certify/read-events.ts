import { isObject } from "../core/bytes/is-object.ts";
import type { Json } from "../core/bytes/json.ts";

/** What the events of a stream carry; what is no JSON object is left out. */
export function eventsIn(text: string): Json[] {
  return dataIn(text).flatMap((data) => {
    const value = objectIn(data);
    return value === null ? [] : [value];
  });
}

/** The data of each event as it was sent. */
export const dataIn = (text: string): string[] =>
  text
    .split(/(?:\r\n|\n|\r){2,}/)
    .map((block) =>
      block
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).replace(/^ /, ""))
        .join("\n"),
    )
    .filter((data) => data !== "");

/** A JSON object; null when it is none. */
export function objectIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const isStream = (text: string): boolean =>
  /^\s*(?:event|data|id|retry|:)/.test(text) && /^(?:event|data):/m.test(text);

export const member = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((owner, name) => (isObject(owner) ? owner[name] : undefined), value);

export const listIn = (value: unknown, ...names: string[]): Json[] => {
  const found = member(value, ...names);
  return Array.isArray(found) ? found.filter(isObject) : [];
};

export const textIn = (value: unknown, ...names: string[]): string => {
  const found = member(value, ...names);
  return typeof found === "string" ? found : "";
};
