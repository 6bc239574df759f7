import type { Failure, Habit } from "./habit.ts";
import { isObject } from "../../../src/core/bytes/is-object.ts";
import type { Json } from "../formats.ts";

export type Counts = { input: number; visible: number; hidden: number };

export type Telling = { id: string; model: string; body: Json; habit: Habit };

/** How a format says an answer, piece by piece or at once. */
export type Writer = {
  format: keyof Habit["events"] | "gemini";
  /** An event of any kind. */
  event: (telling: Telling, event: Json) => string;
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

type Piece = { telling: Telling; text: string; choice: number; counts: Counts };

/** A piece of an answer, in events of the habit where it has some. */
export function pieceOf(writer: Writer, { telling, text, choice, counts }: Piece): string {
  const { events } = telling.habit;
  const own = writer.format === "gemini" ? undefined : events[writer.format];
  if (own === undefined) return writer.words(telling, text, choice, counts);
  const numbers = Array.from({ length: text.length / WORD.length }, (_, at) => 100 + (at % 900));
  return own
    .map((template) => {
      const filled = JSON.stringify(template)
        .replaceAll("%TEXT%", text)
        .replaceAll('"%NUMBERS%"', JSON.stringify(numbers))
        .replaceAll('"%PLACE%"', String(counts.visible))
        .replaceAll("%PLACE%", String(counts.visible))
        .replaceAll('"%CHOICE%"', String(choice));
      const event = JSON.parse(filled) as Json | string;
      return typeof event === "string" ? event : writer.event(telling, event);
    })
    .join("");
}

/** The first text of a request, whichever format it is in. */
export function promptOf({ messages, input }: Json): string {
  const first: unknown = Array.isArray(messages) ? messages[0] : Array.isArray(input) ? input[0] : input;
  const content = isObject(first) ? first["content"] : first;
  const part: unknown = Array.isArray(content) ? content[0] : content;
  return String(isObject(part) ? part["text"] : part);
}

export function choicesOf(body: Json): number {
  const choices = body["n"];
  return typeof choices === "number" && Number.isInteger(choices) && choices > 0 ? choices : 1;
}

/** Figures of the habit stand over the true ones. */
export function usageOf({ habit }: Telling, figures: Json): { usage?: Json } {
  if (habit.usage === "none") return {};
  if (habit.usage === "cache_writes" || habit.usage === "cache_reads") return { usage: cachedOf(figures, habit.usage) };
  return { usage: isObject(habit.usage) ? { ...figures, ...habit.usage } : figures };
}

/** The same input as each format tells it when a cache took it or gave it. */
function cachedOf(figures: Json, how: "cache_writes" | "cache_reads"): Json {
  const input = figures["prompt_tokens"] ?? figures["input_tokens"];
  const details = how === "cache_writes" ? { cache_write_tokens: input } : { cached_tokens: input };
  if ("prompt_tokens" in figures) return { ...figures, prompt_tokens_details: details };
  if ("input_tokens_details" in figures) return { ...figures, input_tokens_details: details };
  const name = how === "cache_writes" ? "cache_creation_input_tokens" : "cache_read_input_tokens";
  return { ...figures, input_tokens: 0, [name]: input };
}
