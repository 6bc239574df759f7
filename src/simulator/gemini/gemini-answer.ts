import { isObject } from "../../core/bytes/is-object.ts";
import { type Block, type Group, type Stop, textOf, tokensOf } from "../plan/block.ts";
import type { Generation, JsonObject, Stretch, StreamEncoder } from "../dialect.ts";
import { blocksOf } from "../plan/generation.ts";
import { overloaded } from "./gemini-errors.ts";
import { frameGemini } from "./gemini-frame.ts";
import { usageSoFar, wholeUsage } from "./gemini-usage.ts";
import { callIdOf, signatureOf } from "./thought-signature.ts";

const REASONS: Record<Stop["reason"], string> = {
  end: "STOP",
  sequence: "STOP",
  tool: "STOP",
  length: "MAX_TOKENS",
  refused: "SAFETY",
};

export function encodeGemini(generation: Generation): StreamEncoder {
  // What was refused is told with the end of the answer; there is no part for it.
  const groups = generation.groups.filter((group) => group.every(({ kind }) => kind !== "refusal"));
  return {
    opening: () => [],
    stretches: groups.map((group) => stretchOf(generation, group)),
    closing: () => [frameGemini(JSON.stringify(ending(generation)))],
    failure: () => frameGemini(JSON.stringify(overloaded)),
    broken: 'data: {"candidates":[{"content":{"parts":[{"text":"\r\n\r\n',
  };
}

function stretchOf(generation: Generation, group: Group): Stretch {
  const [block] = group;
  const calls = group.filter((each) => each.kind === "call");
  if (calls.length > 0) return callStretch(generation, group);
  if (block === undefined || !isShown(generation, block))
    return { before: NOTHING, tokens: 0, token: () => "", after: NOTHING };
  const head = `data: {"candidates":[{"content":{"parts":[{${block.kind === "thinking" ? '"thought":true,' : ""}"text":"`;
  const { content } = block;
  const usage = usageSoFar(generation, block);
  const tail = `${envelopeOf(generation)}}\r\n\r\n`;
  return {
    before: NOTHING,
    tokens: block.tokens,
    token: (index) => `${head}${content.escapedPiece(index)}"}],"role":"model"},"index":0}]${usage(index + 1)}${tail}`,
    after: NOTHING,
  };
}

/** Calls come whole, those that are written side by side in one event: with the last of their tokens, and not at all when it is missing. */
function callStretch(generation: Generation, group: Group): Stretch {
  const tokens = tokensOf(group);
  const parts = group.flatMap((block) => partOf(generation, block));
  const usage = usageSoFar(generation, group[0]);
  const candidate = JSON.stringify([{ content: { parts, role: "model" }, index: 0 }]);
  const event = `data: {"candidates":${candidate}${usage(tokens)}${envelopeOf(generation)}}\r\n\r\n`;
  return {
    before: NOTHING,
    tokens,
    token: (index) => (index === tokens - 1 && parts.length > 0 ? event : ""),
    after: NOTHING,
  };
}

const NOTHING = (): readonly string[] => [];

/** Thoughts are shown to who asks for them. */
function isShown({ ask }: Generation, block: Block): boolean {
  if (block.kind !== "thinking") return block.kind !== "refusal" && block.kind !== "search";
  const { generationConfig: config } = ask.body;
  const thinking = isObject(config) ? config["thinkingConfig"] : undefined;
  return block.thoughts !== "hidden" && isObject(thinking) && thinking["includeThoughts"] === true;
}

function partOf(generation: Generation, block: Block): JsonObject[] {
  if (!isShown(generation, block)) return [];
  switch (block.kind) {
    case "refusal":
    case "search":
      return [];
    case "thinking":
      return [{ text: textOf(block), thought: true }];
    case "text": {
      const thoughtSignature = signatureOf(generation, "text");
      return [{ text: textOf(block), ...(thoughtSignature !== null && { thoughtSignature }) }];
    }
    case "call": {
      if (!block.whole) return [];
      const thoughtSignature = block.number === 0 ? signatureOf(generation, "call") : null;
      const args: unknown = JSON.parse(textOf(block));
      return [
        {
          functionCall: { name: block.name, args, id: callIdOf(generation, block) },
          ...(thoughtSignature !== null && { thoughtSignature }),
        },
      ];
    }
    default:
      return block satisfies never;
  }
}

/** A prompt that is refused before a token was said has no candidate at all. */
function ending(generation: Generation): JsonObject {
  const { stop } = generation;
  const about = { ...wholeUsage(generation), ...nameOf(generation) };
  if (isBlocked(generation)) return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...about };
  const thoughtSignature = signatureOf(generation, "text");
  const part = { text: "", ...(thoughtSignature !== null && { thoughtSignature }) };
  const content = stop.reason === "refused" ? {} : { content: { parts: [part], role: "model" } };
  return { candidates: [{ ...content, ...stopOf(generation) }], ...about };
}

export function answerGemini(generation: Generation): string {
  const about = { ...wholeUsage(generation), ...nameOf(generation) };
  if (isBlocked(generation)) return JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...about });
  const parts = blocksOf(generation).flatMap((block) => partOf(generation, block));
  const content = parts.length === 0 ? { role: "model" } : { parts, role: "model" };
  return JSON.stringify({ candidates: [{ content, ...stopOf(generation) }], ...about });
}

const isBlocked = ({ stop, tokens }: Generation): boolean => stop.reason === "refused" && tokens === 0;

function stopOf(generation: Generation): JsonObject {
  const { reason } = generation.stop;
  const refusal = blocksOf(generation).find(({ kind }) => kind === "refusal");
  const finishMessage = reason === "tool" ? "Model generated function call(s)." : refusal && textOf(refusal);
  return {
    finishReason: REASONS[reason],
    index: 0,
    ...groundingOf(generation),
    ...(finishMessage !== undefined && { finishMessage }),
  };
}

/** What was searched for, and found; with the end, where there is all of it. */
function groundingOf(generation: Generation): JsonObject {
  const runs = blocksOf(generation).filter((block) => block.kind === "search");
  if (runs.length === 0) return {};
  const web = (at: number) => ({ uri: `https://found.example/${at}`, title: `Page ${at}` });
  return {
    groundingMetadata: {
      webSearchQueries: runs.map((_, at) => `query ${at}`),
      groundingChunks: runs.map((_, at) => ({ web: web(at) })),
    },
  };
}

const nameOf = ({ ask, id }: Generation): JsonObject => ({ modelVersion: ask.model, responseId: id });

const envelopeOf = (generation: Generation): string => `,${JSON.stringify(nameOf(generation)).slice(1, -1)}`;
