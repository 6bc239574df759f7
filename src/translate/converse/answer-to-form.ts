import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { Fault } from "../../core/fault.ts";
import type { Usage } from "../../core/money/usage.ts";
import { readConverseUsage } from "../../wire/converse/converse-usage.ts";
import type { AnswerEvent, Stop, StopReason } from "../form/answer-form.ts";
import type { Json } from "../../core/bytes/json.ts";
import { numberOrNull, objectOf, objectOrNull, objectsOf, textOrNull } from "../form/read-json.ts";
import { RepeatedText } from "../form/repeated-text.ts";
import type { AnswerReader, ProviderSide } from "../form/sides.ts";
import { tierEvents } from "../form/tier.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent } from "../read-event.ts";
import { createBlockReader } from "./block-reader.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["end_turn", "end"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["stop_sequence", "stop_sequence"],
  ["tool_use", "tool"],
  ["guardrail_intervened", "refused"],
  ["content_filtered", "refused"],
]);

/** Said of a model that could not go on; what there is of its answer is nothing to pay for. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set(["malformed_model_output", "malformed_tool_use"]);

/** More than any model sends to be given back, as it stands in the stream. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

const LAST = /^event: ?metadata[\r\n]/;
const LAST_BYTES = 20;

/** Where a block without a number stands. */
const NOWHERE = -2;

/**
 * Events are told apart by their members, which no two kinds share. The last of a stream is the one with the usage: before it nothing is
 * known of what the answer costs.
 */
export function createConverseReader({ model }: { model: string }): AnswerReader {
  const blocks = createBlockReader();
  const repeated = new RepeatedText();
  /** The block that the event which can be repeated is a piece of, and what its text is called. */
  let repeatedPiece = { number: NOWHERE, isThought: false };
  let stop: Stop | null = null;
  let told: Json | null = null;
  let keptBytes = 0;

  function read(data: Json, event: Buffer): AnswerEvent[] | null {
    // An exception, or an error of the stream itself.
    if (data["__type"] !== undefined) return null;
    const { role, start, delta, contentBlockIndex, stopReason, usage, metrics } = data;
    if (stopReason !== undefined) {
      if (BROKEN_OFF.has(stopReason)) return null;
      stop = stopOf(data) ?? stop;
      return [];
    }
    // Usage may be missing, which is then estimated.
    if (usage !== undefined || metrics !== undefined) {
      told = data;
      return tierEvents(objectOf(data["serviceTier"])["type"]);
    }
    if (role !== undefined) return [{ kind: "answer-started" }];
    const number = numberOrNull(contentBlockIndex) ?? NOWHERE;
    if (objectOrNull(delta)) return blocks.grow(number, objectOf(delta));
    if (objectOrNull(start)) return blocks.start(number, objectOf(start));
    if (contentBlockIndex !== undefined) return blocks.stop(number);
    // Nothing but its name tells the last event that says nothing.
    if (LAST.test(event.toString("latin1", 0, LAST_BYTES))) told ??= data;
    return [];
  }

  const usageTold = (): Usage | null => (told === null ? null : readConverseUsage(told, { model, streamed: true }));

  return {
    read: (event) => {
      const more = repeated.textIn(event);
      if (more !== null) return blocks.grow(repeatedPiece.number, pieceAs(repeatedPiece.isThought, more));
      const data = readEvent(event);
      if (data === null) return null;
      if (isKept(data)) keptBytes += event.length;
      if (keptBytes > MOST_KEPT_BYTES)
        throw new AnswerLimitError(
          `The response has more than ${MOST_KEPT_BYTES.toLocaleString("en-US")} bytes of signatures, the limit for a translated response.`,
        );
      const events = read(data, event);
      const piece = pieceIn(data);
      if (piece !== null && events?.length === 1) {
        repeatedPiece = { number: numberOrNull(data["contentBlockIndex"]) ?? NOWHERE, isThought: piece.isThought };
        repeated.learn(event, piece.text);
      }
      return events;
    },
    ended: () => told !== null && stop !== null,
    close: () => (told === null || stop === null ? null : [...blocks.stopAll(), { kind: "answer-stopped", stop }]),
    usage: usageTold,
    // Nothing is said of the input before all is said.
    inputUsage: () => withoutOutput(usageTold()),
  };
}

type Piece = { text: string; isThought: boolean };

const pieceAs = (isThought: boolean, text: string): Json => (isThought ? { reasoningContent: { text } } : { text });

/** Whether a delta is a piece of what goes back with thinking, of which nobody is shown any before its block ends. */
function isKept({ delta }: Json): boolean {
  const { signature, redactedContent } = objectOf(objectOf(delta)["reasoningContent"]);
  return signature !== undefined || redactedContent !== undefined;
}

/** The words or thoughts of a delta, which do nothing but grow their block; null when it has others. */
function pieceIn({ delta }: Json): Piece | null {
  const { text, reasoningContent } = objectOf(delta);
  const said = textOrNull(text);
  if (said !== null) return { text: said, isThought: false };
  const thought = textOrNull(objectOf(reasoningContent)["text"]);
  return thought === null ? null : { text: thought, isThought: true };
}

export const wholeConverseAnswer: ProviderSide["whole"] = (bytes, { model }) => {
  const answer = readAnswer(bytes, {
    kind: "an answer of Converse",
    isOne: ({ output }) => objectOrNull(objectOf(output)["message"]) !== null,
  });
  const stop = BROKEN_OFF.has(answer["stopReason"]) ? null : stopOf(answer);
  if (stop === null) throw new Fault("upstream_error", "The provider ended its response early. It is safe to retry.");
  const blocks = createBlockReader();
  const events = objectsOf(objectOf(objectOf(answer["output"])["message"])["content"]).flatMap((block, number) => [
    ...blocks.start(number, block),
    ...blocks.grow(number, asDelta(block)),
    ...blocks.stop(number),
  ]);
  return {
    usage: readConverseUsage(answer, { model, streamed: false }),
    events: [
      ...tierEvents(objectOf(answer["serviceTier"])["type"]),
      { kind: "answer-started" },
      ...events,
      { kind: "answer-stopped", stop },
    ],
  };
};

/** A whole block as if it came in one piece. */
function asDelta({ text, toolUse, reasoningContent }: Json): Json {
  if (typeof text === "string") return { text };
  if (toolUse !== undefined) return { toolUse: { input: JSON.stringify(objectOf(objectOf(toolUse)["input"])) } };
  const { reasoningText, redactedContent } = objectOf(reasoningContent);
  return reasoningContent === undefined
    ? {}
    : {
        reasoningContent: { ...objectOf(reasoningText), ...(redactedContent === undefined ? {} : { redactedContent }) },
      };
}

/** Which sequence was met is asked for, and told where the model's own format has it. */
function stopOf({ stopReason, additionalModelResponseFields: fields }: Json): Stop | null {
  if (typeof stopReason !== "string") return null;
  const { stop_sequence: sequence, delta } = objectOf(fields);
  return {
    reason: REASONS.get(stopReason) ?? "end",
    sequence: textOrNull(sequence) ?? textOrNull(objectOf(delta)["stop_sequence"]),
  };
}

const withoutOutput = (usage: Usage | null): Usage | null => usage && { ...usage, outputTokens: 0, reasoningTokens: 0 };
