import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { Fault } from "../../core/fault.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Usage } from "../../core/money/usage.ts";
import { chatUsageOf } from "../../wire/chat/chat-usage.ts";
import { parseChatAnswer } from "./untouched.ts";
import type { AnswerEvent, Stop, StopReason } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import { type Citation, citationsOfUrls } from "../form/citation.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectsOf, textOrNull } from "../form/read-json.ts";
import { RepeatedText } from "../form/repeated-text.ts";
import type { AnswerReader, ProviderSide } from "../form/sides.ts";
import { tierEvents } from "../form/tier.ts";
import { probabilitiesOf, type TokenProbability } from "../form/token-probability.ts";
import { readEvent } from "../read-event.ts";
import { repairDelta } from "./repair-delta.ts";
import { createToolCalls } from "./tool-calls.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "end"],
  ["length", "length"],
  // Mistral's word for a context that is full.
  ["model_length", "length"],
  ["tool_calls", "tool"],
  ["function_call", "tool"],
  ["content_filter", "refused"],
]);

/** Said by some who could not go on, and are not to be paid for it. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set(["error", "abort", "insufficient_system_resource"]);

/** What is not a call of a tool; at most one of these is open at a time, for this dialect does not say where one ends. */
type Prose = "text" | "refusal" | "thinking";
const PROSE: readonly Prose[] = ["thinking", "text", "refusal"];

export function createChatReader(): AnswerReader {
  const delta = createDeltaReader();
  const repeated = new RepeatedText();
  let usage: Usage | null = null;
  let tier: unknown = null;
  let sources: Citation[] = [];
  let started = false;
  let ended = false;
  let keptBytes = 0;
  let reason: string | null = null;

  return {
    read: (event) => {
      const more = repeated.textIn(event);
      if (more !== null) return delta.growText(more);
      if (event.length < 32 && event.includes("[DONE]")) {
        ended = true;
        return [];
      }
      const chunk = readEvent(event);
      if (chunk === null || chunk["error"]) return null;
      tier = chunk["service_tier"] ?? tier;
      usage = chatUsageOf(chunk, tier) ?? usage;
      sources = sourcesIn(chunk) ?? sources;
      // Several answers at once are never asked of a provider through here.
      const choice = objectsOf(chunk["choices"]).find(({ index }) => index === 0 || index === undefined);
      if (choice === undefined) return [];
      if (BROKEN_OFF.has(choice["finish_reason"])) return null;
      reason = textOrNull(choice["finish_reason"]) ?? reason;
      const given = objectOf(choice["delta"]);
      const said = delta.read(given, choice["logprobs"]);
      if (isKept(given, said)) keptBytes += event.length;
      if (keptBytes > MOST_KEPT_BYTES) {
        throw new AnswerLimitError(
          `The response has an unfinished block of more than ${MOST_KEPT_BYTES.toLocaleString("en-US")} bytes, the limit for a translated response.`,
        );
      }
      if (delta.isMoreText(given, choice["logprobs"])) repeated.learn(event, given.content);
      if (started) return said;
      started = true;
      return [...tierEvents(chunk["service_tier"]), { kind: "answer-started" }, ...said];
    },
    ended: () => ended,
    // An end without anything before it is no answer.
    close: () =>
      started && (ended || reason !== null)
        ? [...delta.close(sources), { kind: "answer-stopped", stop: stopOf(reason) }]
        : null,
    usage: () => usage,
    inputUsage: () => null,
  };
}

/** More than any answer has of what is kept until its block ends, as it stands in the stream, a piece for every token. */
const MOST_KEPT_BYTES = 67_108_864;

/** Proofs of thinking, and calls that have no name yet, are kept here; nobody adds them up who would see them grow. */
const isKept = (delta: Json, said: readonly AnswerEvent[]): boolean =>
  Array.isArray(delta["reasoning_details"]) || (said.length === 0 && Array.isArray(delta["tool_calls"]));

/** A whole answer is one delta and its end. */
export const wholeChatAnswer: ProviderSide["whole"] = (bytes) => {
  const answer = parseChatAnswer(bytes);
  const choice = objectOf(objectsOf(answer["choices"])[0]);
  if (BROKEN_OFF.has(choice["finish_reason"])) {
    throw new Fault("upstream_error", "The provider ended its response early. It is safe to retry.");
  }
  const delta = createDeltaReader();
  return {
    usage: chatUsageOf(answer),
    events: [
      ...tierEvents(answer["service_tier"]),
      { kind: "answer-started" },
      ...delta.read(objectOf(choice["message"]), choice["logprobs"]),
      ...delta.close(sourcesIn(answer) ?? []),
      { kind: "answer-stopped", stop: stopOf(textOrNull(choice["finish_reason"])) },
    ],
  };
};

type DeltaReader = {
  /** Whether a delta is more of a text that is open, and nothing else. Nearly every one is, and need not be taken apart. */
  isMoreText: (delta: Json, logprobs: unknown) => delta is { content: string };
  growText: (text: string) => AnswerEvent[];
  read: (delta: Json, logprobs: unknown) => AnswerEvent[];
  /** `sources`: what the whole answer rests on, by the word of a provider that does not say which part of it. */
  close: (sources: readonly Citation[]) => AnswerEvent[];
};

function createDeltaReader(): DeltaReader {
  const blocks = createBlockNumbers<string>();
  const calls = createToolCalls(blocks);
  let thinkingField = "reasoning_content";
  let details: unknown[] = [];

  /** How much text stands before the block of it that is open; annotations count from the first. */
  let textBefore = 0;
  let textSoFar = 0;
  let cited = false;

  function prose(kind: Prose, text: unknown, probabilities: readonly TokenProbability[] = []): AnswerEvent[] {
    if (typeof text !== "string" || (text === "" && probabilities.length === 0)) return [];
    const others = PROSE.filter((other) => other !== kind).flatMap((other) => stop(other));
    const start = blocks.has(kind) ? [] : blocks.start(kind, { kind });
    if (kind === "text" && start.length > 0) textBefore = textSoFar;
    if (kind === "text") textSoFar += text.length;
    return [...others, ...start, ...blocks.grow(kind, text, probabilities)];
  }

  function isMoreText(delta: Json, logprobs: unknown): delta is { content: string } {
    for (const name in delta) if (name !== "content" && name !== "role") return false;
    if (typeof delta["content"] !== "string" || isObject(logprobs)) return false;
    // And nothing is open that more text would end.
    return blocks.has("text") && !blocks.has("thinking") && !blocks.has("refusal") && details.length === 0;
  }

  function growText(text: string): AnswerEvent[] {
    textSoFar += text.length;
    return blocks.grow("text", text);
  }

  function stop(kind: Prose): AnswerEvent[] {
    if (kind !== "thinking" || (!blocks.has(kind) && details.length === 0)) return blocks.stop(kind);
    const value = { field: thinkingField, ...(details.length === 0 ? {} : { details }) };
    details = [];
    // Thoughts that nobody can read have had no text to begin with.
    const start = blocks.has(kind) ? [] : blocks.start(kind, { kind });
    return [...start, ...blocks.seal(kind, { dialect: "chat", value }), ...blocks.stop(kind)];
  }

  return {
    isMoreText,
    growText,
    read: (given, logprobs) => {
      if (isMoreText(given, logprobs)) return growText(given.content);
      const named = objectsOf(given["tool_calls"]);
      const repaired = repairDelta(given);
      if (typeof given["reasoning"] === "string" && given["reasoning"] !== "") thinkingField = "reasoning";
      for (const detail of objectsOf(given["reasoning_details"])) details.push(detail);
      const citations = citationsOfUrls(given["annotations"], textBefore);
      cited ||= citations.length > 0;
      const said = [
        ...prose("thinking", repaired["reasoning_content"] ?? repaired["reasoning"]),
        ...prose("text", repaired["content"], probabilitiesOf(objectOf(logprobs)["content"])),
        ...prose("refusal", repaired["refusal"]),
        ...blocks.cite("text", citations),
      ];
      if (named.length === 0) return said;
      return [...said, ...PROSE.flatMap((kind) => stop(kind)), ...named.flatMap((call) => calls.read(call))];
    },
    close: (sources) => [
      ...(cited ? [] : blocks.cite("text", sources)),
      ...PROSE.flatMap((kind) => stop(kind)),
      ...calls.close(),
      ...blocks.stopAll(),
    ],
  };
}

/** Providers that search by themselves list what they found beside the choices, with titles or as bare addresses. */
function sourcesIn({ search_results: results, citations: addresses }: Json): Citation[] | null {
  if (!Array.isArray(results) && !Array.isArray(addresses)) return null;
  const named = objectsOf(results).map(({ url, title }) => ({ url, title: textOrNull(title) ?? "" }));
  const bare = (Array.isArray(addresses) ? addresses : []).map((url: unknown) => ({ url, title: "" }));
  return (named.length > 0 ? named : bare)
    .slice(0, MOST_SOURCES)
    .flatMap(({ url, title }) =>
      typeof url === "string" ? [{ url, title, quote: "", span: null, native: null }] : [],
    );
}

/** More than any search finds. */
const MOST_SOURCES = 1_000;

const stopOf = (reason: string | null): Stop => ({
  reason: REASONS.get(reason ?? "stop") ?? "end",
  sequence: null,
});
