import { Fault } from "../../core/fault.ts";
import type { Usage } from "../../core/money/usage.ts";
import { readGeminiUsage, searchesIn, tellsOfInput } from "../../wire/gemini/gemini-usage.ts";
import type { AnswerEvent, Stop, StopReason } from "../form/answer-form.ts";
import type { Citation } from "../form/citation.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectOrNull, objectsOf, textOrNull } from "../form/read-json.ts";
import type { AnswerReader, ProviderSide } from "../form/sides.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent } from "../read-event.ts";
import { createPartReader, type PartReader } from "./part-reader.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["STOP", "end"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "refused"],
  ["RECITATION", "refused"],
  ["LANGUAGE", "refused"],
  ["BLOCKLIST", "refused"],
  ["PROHIBITED_CONTENT", "refused"],
  ["SPII", "refused"],
  ["IMAGE_SAFETY", "refused"],
  ["IMAGE_PROHIBITED_CONTENT", "refused"],
  ["OTHER", "refused"],
]);

/** Said of a model that could not go on; what there is of its answer is nothing to pay for. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "MISSING_THOUGHT_SIGNATURE",
]);

/** Why an answer ended, and what its provider says of it. */
type End = { stop: Stop; words: string | null };

export function createGeminiReader(): AnswerReader {
  const parts = createPartReader();
  let told: Json | null = null;
  let searches = 0;
  let end: End | null = null;
  let sources: readonly Citation[] = [];

  return {
    read: (event) => {
      const chunk = readEvent(event);
      if (chunk === null || chunk["error"]) return null;
      const usage = objectOrNull(chunk["usageMetadata"]);
      if (usage !== null && tellsOfInput(usage)) told = usage;
      const candidate = candidateIn(chunk);
      searches = Math.max(searches, searchesIn(candidate));
      sources = sourcesIn(candidate) ?? sources;
      if (BROKEN_OFF.has(candidate["finishReason"])) return null;
      end = endOf(chunk, candidate) ?? end;
      return parts.read(objectOf(candidate["content"])["parts"]);
    },
    // Nothing says that a stream has ended but its end; of the events, any may give a reason.
    ended: () => false,
    close: () => (end === null ? null : ending(parts, end, sources)),
    usage: () => readGeminiUsage(told, searches),
    inputUsage: () => withoutOutput(readGeminiUsage(told, searches)),
  };
}

export const wholeGeminiAnswer: ProviderSide["whole"] = (bytes) => {
  const answer = readAnswer(bytes, {
    kind: "generated content",
    isOne: ({ candidates, promptFeedback }) => Array.isArray(candidates) || objectOrNull(promptFeedback) !== null,
  });
  const candidate = candidateIn(answer);
  const parts = createPartReader();
  const said = BROKEN_OFF.has(candidate["finishReason"]) ? null : parts.read(objectOf(candidate["content"])["parts"]);
  const end = endOf(answer, candidate);
  if (said === null || end === null)
    throw new Fault("upstream_error", "The provider ended its response early. It is safe to retry.");
  return {
    usage: readGeminiUsage(answer["usageMetadata"], searchesIn(candidate)),
    events: [{ kind: "answer-started" }, ...said, ...ending(parts, end, sourcesIn(candidate) ?? [])],
  };
};

/** Several answers at once are never asked of a provider through here. */
const candidateIn = ({ candidates }: Json): Json =>
  objectsOf(candidates).find(({ index }) => index === 0 || index === undefined) ?? {};

/** A prompt that was refused has no candidate, and why stands beside where they would be. */
function endOf({ promptFeedback: feedback }: Json, { finishReason, finishMessage }: Json): End | null {
  const { blockReason, blockReasonMessage } = objectOf(feedback);
  if (typeof blockReason === "string")
    return { stop: { reason: "refused", sequence: null }, words: textOrNull(blockReasonMessage) };
  if (typeof finishReason !== "string") return null;
  const reason = REASONS.get(finishReason) ?? "end";
  return { stop: { reason, sequence: null }, words: reason === "refused" ? textOrNull(finishMessage) : null };
}

/** Pages that an answer was grounded on; null: it says nothing of any. Each chunk of a stream says all that it knows. */
function sourcesIn({ groundingMetadata: grounding }: Json): Citation[] | null {
  const { groundingChunks: found } = objectOf(grounding);
  if (!Array.isArray(found)) return null;
  return found.slice(0, MOST_SOURCES).flatMap((chunk: unknown) => {
    const { uri, title } = objectOf(objectOf(chunk)["web"]);
    return typeof uri === "string"
      ? [{ url: uri, title: textOrNull(title) ?? "", quote: "", span: null, native: null }]
      : [];
  });
}

/** More than any answer rests on. */
const MOST_SOURCES = 200;

const ending = (parts: PartReader, { stop, words }: End, sources: readonly Citation[]): AnswerEvent[] => [
  ...parts.close(words, sources),
  { kind: "answer-stopped", stop },
];

const withoutOutput = (usage: Usage | null): Usage | null => usage && { ...usage, outputTokens: 0, reasoningTokens: 0 };
