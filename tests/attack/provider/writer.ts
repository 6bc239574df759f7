import type { Failure, Habit } from "./habit.ts";
import { isObject } from "../../../src/core/is-object.ts";
import type { Json } from "../formats.ts";

export type Counts = { input: number; visible: number; hidden: number };

export type Telling = { id: string; model: string; body: Json; habit: Habit };

/** How a format says an answer, piece by piece or at once. */
export type Writer = {
  /** With the status, before anything is thought. */
  opening: (telling: Telling, counts: Counts) => string;
  /** Right before the first word. */
  begin: (telling: Telling) => string;
  /** So many words more, of one choice; and what has been counted with them, for formats that tell it on the way. */
  words: (telling: Telling, text: string, choice: number, counts: Counts) => string;
  closing: (telling: Telling, counts: Counts, text: string) => string;
  failure: (telling: Telling, how: Failure) => string;
  whole: (telling: Telling, counts: Counts, text: string) => Json;
};

/** One token each by the vocabulary the gateway counts with, wherever it stands. */
export const WORD = " word";

export const named = (event: Json): string => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;

export function choicesOf(body: Json): number {
  const choices = body["n"];
  return typeof choices === "number" && Number.isInteger(choices) && choices > 0 ? choices : 1;
}

/** Figures of the habit stand over the true ones. */
export function usageOf({ habit }: Telling, figures: Json): { usage?: Json } {
  if (habit.usage === "none") return {};
  return { usage: isObject(habit.usage) ? { ...figures, ...habit.usage } : figures };
}
