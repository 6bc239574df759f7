import { Fault } from "../../core/fault.ts";
import { isMediaOf, type MediaKind, mediaTypeProblem } from "../../core/request/media-type.ts";
import type { Block, Effort, RequestForm, Source, TextBlock, ToolForm, Turn } from "./request-form.ts";
import { EFFORTS } from "./request-form.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, textOf } from "./read-json.ts";

export const EMPTY_FORM: Readonly<Omit<RequestForm, "system" | "turns">> = Object.freeze({
  tools: [],
  search: false,
  toolChoice: null,
  parallelCalls: null,
  temperature: null,
  topP: null,
  stop: [],
  outputFormat: null,
  verbosity: null,
  thinking: null,
  user: null,
  promptCacheKey: null,
  labels: null,
  probabilities: null,
});

/** Adds what a speaker says; two things in a row by one speaker are one turn. */
export function addTurn(turns: Turn[], role: Turn["role"], blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== role) turns.push({ role, blocks: [...blocks] });
  // Not spread: a message may have more parts than a call takes arguments.
  else for (const block of blocks) last.blocks.push(block);
}

/** What is said before anybody else speaks is not part of the conversation; when nobody else does, it is all there is of one. */
export function withSystem(turns: Turn[], instructions: TextBlock[]): { system: TextBlock[]; turns: Turn[] } {
  const [first, ...rest] = turns;
  if (first?.role !== "system" || rest.length === 0) return { system: instructions, turns };
  return { system: [...instructions, ...first.blocks.filter((block) => block.kind === "text")], turns: rest };
}

export const textBlock = (text: string, cacheHint: Json | null = null): TextBlock => ({
  kind: "text",
  text,
  cacheHint,
});

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]*)*;base64,/;

/** An address as these formats write it, with the bytes themselves in it or not. */
export function sourceOf(url: string): Source {
  const match = DATA_URL.exec(url.slice(0, 256));
  if (match === null) return { kind: "url", url };
  return { kind: "inline", mediaType: match[1] ?? "", data: url.slice(match[0].length) };
}

/** The bytes of a file, which some write without saying what they are of. */
export function fileOf(data: string): Source {
  return data.startsWith("data:") ? sourceOf(data) : { kind: "inline", mediaType: "application/pdf", data };
}

/**
 * What a provider is sent of a part. Callers have been refused what is not of its kind, and here it is looked at once more: a provider
 * goes by the type that it is told, and charges for that.
 */
export function sentSource({ kind, source }: { kind: MediaKind; source: Source }): Source {
  if (source.kind === "inline" && !isMediaOf(kind, source.mediaType)) {
    throw new Fault("invalid_request", mediaTypeProblem(kind, source.mediaType));
  }
  return source;
}

export function urlOf(source: Source): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** A function as chat nests it and responses does not. */
export function functionTool(given: Json): ToolForm {
  return {
    name: textOf(given["name"]),
    description: typeof given["description"] === "string" ? given["description"] : null,
    schema: objectOf(given["parameters"]),
    strict: typeof given["strict"] === "boolean" ? given["strict"] : null,
    cacheHint: null,
  };
}

export const effortOf = (value: unknown): Effort | null => EFFORTS.find((effort) => effort === value) ?? null;

export const plainText = (blocks: readonly Block[], separator = ""): string =>
  blocks.flatMap((block) => (block.kind === "text" || block.kind === "refusal" ? [block.text] : [])).join(separator);

/** Whether a text is more than white space, which some formats refuse to be told. */
export const hasWords = (text: string): boolean => /\S/.test(text);
