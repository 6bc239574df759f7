import type { Examination } from "../../core/catalogue/probe.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { SseEvent } from "./sse-events.ts";

export type Examine = (events: readonly SseEvent[]) => Examination;

export const textIn = (value: unknown, field: string): string => {
  const text = isObject(value) ? value[field] : undefined;
  return typeof text === "string" ? text : "";
};

export function countIn(usage: Record<string, unknown>, field: string): number | null {
  const value = usage[field];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
