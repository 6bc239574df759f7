import { isObject } from "../../core/is-object.ts";
import type { SseEvent } from "./sse-events.ts";

/** What a provider's stream was like. */
export type Examination = {
  /** Rules it does not keep, in words; empty when its bytes can be forwarded as they come. */
  broken: readonly string[];
  /** The model as its answer names it, which callers see where nothing is repaired. */
  model: string;
  usage: { inputTokens: number | null; outputTokens: number | null } | null;
};

export type Examine = (events: readonly SseEvent[]) => Examination;

export const textIn = (value: unknown, field: string): string => {
  const text = isObject(value) ? value[field] : undefined;
  return typeof text === "string" ? text : "";
};

export function countIn(usage: Record<string, unknown>, field: string): number | null {
  const value = usage[field];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
