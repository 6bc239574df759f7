import { readMessagesUsage } from "../../wire/messages/messages-usage.ts";
import { createMessagesMeter, readMessage } from "./untouched.ts";
import type { AnswerEvent, Stop, StopReason } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import { citationOfSource } from "../form/citation.ts";
import { opensNothing } from "../form/native.ts";
import type { Json } from "../../core/bytes/json.ts";
import { numberOrNull, objectOf, objectOrNull, objectsOf, textOf, textOrNull } from "../form/read-json.ts";
import { RepeatedText } from "../form/repeated-text.ts";
import type { AnswerReader, ProviderSide } from "../form/sides.ts";
import { tierEvents } from "../form/tier.ts";
import { readEvent, typeOf } from "../read-event.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["end_turn", "end"],
  ["pause_turn", "end"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["stop_sequence", "stop_sequence"],
  ["tool_use", "tool"],
  ["refusal", "refused"],
]);
/** Where a block without a number stands. */
const NOWHERE = -2;

type Blocks = ReturnType<typeof createBlockNumbers<number>>;

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one answer.
export function createMessagesReader(): AnswerReader {
  const blocks = createBlockNumbers<number>();
  const content = createContent(blocks);
  const meter = createMessagesMeter();
  const repeated = new RepeatedText();
  /** The block that the event which can be repeated is a piece of. */
  let repeatedIndex = NOWHERE;
  let begun = false;
  let ended = false;
  let stop: Stop | null = null;

  function opening(data: Json): AnswerEvent[] | null {
    if (!objectOrNull(data["message"]) || blocks.begun() > 0) return null;
    meter.started(data);
    if (begun) return [];
    begun = true;
    return [...tierEvents(tierIn(objectOf(data["message"]))), { kind: "answer-started" }];
  }

  function read(data: Json): AnswerEvent[] | null {
    const index = indexOf(data);
    switch (typeOf(data) ?? "") {
      case "message_start":
        return opening(data);
      case "content_block_start":
        return content.start(index, objectOf(data["content_block"]));
      case "content_block_delta":
        return content.grow(index, objectOf(data["delta"]));
      case "content_block_stop":
        return content.finish(index);
      case "message_delta":
        meter.advanced(data);
        stop = stopOf(objectOf(data["delta"])) ?? stop;
        return refusalOf(blocks, objectOf(data["delta"]));
      case "message_stop":
        ended = true;
        return [];
      case "error":
        return null;
      default:
        return [];
    }
  }

  return {
    read: (event) => {
      const more = repeated.textIn(event);
      if (more !== null) return blocks.grow(repeatedIndex, more);
      const data = readEvent(event);
      if (data === null) return null;
      const events = read(data);
      const text = pieceOf(data);
      if (text !== null && events?.length === 1) {
        repeatedIndex = indexOf(data);
        repeated.learn(event, text);
      }
      return events;
    },
    ended: () => ended,
    close: () => {
      // An end without a beginning is no answer.
      if ((!ended && stop === null) || !(begun || blocks.begun() > 0)) return null;
      return [...blocks.stopAll(), { kind: "answer-stopped", stop: stop ?? END }];
    },
    usage: meter.usage,
    inputUsage: meter.inputUsage,
  };
}

const indexOf = (data: Json): number => numberOrNull(data["index"]) ?? NOWHERE;

/** The words or thoughts of a delta, which do nothing but grow their block; null when it has others. */
function pieceOf(data: Json): string | null {
  const { type, text, thinking } = objectOf(data["delta"]);
  if (typeOf(data) !== "content_block_delta") return null;
  return type === "text_delta" ? textOrNull(text) : type === "thinking_delta" ? textOrNull(thinking) : null;
}

/** The blocks of a stream, as they begin, grow and end. */
function createContent(blocks: Blocks) {
  /** Input that came with the beginning of a call, in case nothing follows it. */
  const inputs = new Map<number, string>();

  function start(index: number, block: Json): AnswerEvent[] {
    const { input } = block;
    if (block["type"] === "tool_use" && Object.keys(objectOf(input)).length > 0) {
      inputs.set(index, JSON.stringify(input));
    }
    return startOf(blocks, index, block);
  }

  function grow(index: number, delta: Json): AnswerEvent[] {
    switch (delta["type"]) {
      case "text_delta":
        return blocks.grow(index, delta["text"]);
      case "thinking_delta":
        return blocks.grow(index, delta["thinking"]);
      case "input_json_delta":
        if (textOf(delta["partial_json"]) !== "") inputs.delete(index);
        return blocks.grow(index, delta["partial_json"]);
      case "citations_delta":
        return cited(blocks, index, [delta["citation"]]);
      case "signature_delta":
        return blocks.seal(index, { dialect: "messages", value: { signature: textOf(delta["signature"]) } });
      default:
        return [];
    }
  }

  function finish(index: number): AnswerEvent[] {
    const whole = blocks.grow(index, inputs.get(index));
    inputs.delete(index);
    return [...whole, ...blocks.stop(index)];
  }

  return { start, grow, finish };
}

export const wholeMessage: ProviderSide["whole"] = (bytes) => {
  const message = readMessage(bytes);
  const blocks = createBlockNumbers<number>();
  const events = objectsOf(message["content"]).flatMap((block, index) => [
    ...startOf(blocks, index, block),
    ...blocks.grow(index, wholeText(block)),
    ...cited(blocks, index, objectsOf(block["citations"])),
    ...(typeof block["signature"] === "string"
      ? blocks.seal(index, { dialect: "messages", value: { signature: block["signature"] } })
      : []),
    ...blocks.stop(index),
  ]);
  return {
    usage: readMessagesUsage(message["usage"]),
    events: [
      ...tierEvents(tierIn(message)),
      { kind: "answer-started" },
      ...events,
      ...refusalOf(blocks, message),
      { kind: "answer-stopped", stop: stopOf(message) ?? END },
    ],
  };
};

/** Blocks that only this dialect has are of tools a provider runs, and those are never asked for through here. */
function startOf(blocks: Blocks, index: number, block: Json): AnswerEvent[] {
  switch (block["type"]) {
    case "text":
      return blocks.start(index, { kind: "text" });
    case "thinking":
      return blocks.start(index, { kind: "thinking" });
    case "redacted_thinking":
      return [
        ...blocks.start(index, { kind: "thinking" }),
        ...blocks.seal(index, { dialect: "messages", value: { redacted: textOf(block["data"]) } }),
      ];
    case "tool_use":
      return blocks.start(index, { kind: "tool_call", id: textOf(block["id"]), name: textOf(block["name"]) });
    default:
      return [];
  }
}

/** Why the provider refused, in its own words; the other dialects have a place for that among what was said. */
function refusalOf(blocks: Blocks, { stop_details: details }: Json): AnswerEvent[] {
  const { explanation } = objectOf(details);
  if (typeof explanation !== "string") return [];
  const after = -1;
  return [...blocks.start(after, { kind: "refusal" }), ...blocks.grow(after, explanation), ...blocks.stop(after)];
}

/** Places in documents of the request are left out: a caller of another format has no way to ask for them. */
function cited(blocks: Blocks, index: number, citations: readonly unknown[]): AnswerEvent[] {
  return blocks.cite(
    index,
    citations.flatMap((citation) => citationOfSource(citation, opensNothing) ?? []),
  );
}

function wholeText(block: Json): string {
  if (block["type"] === "tool_use") return JSON.stringify(objectOf(block["input"]));
  return textOf(block["text"] ?? block["thinking"]);
}

const tierIn = ({ usage }: Json): unknown => objectOf(usage)["service_tier"];

const END: Stop = { reason: "end", sequence: null };

function stopOf({ stop_reason: reason, stop_sequence: sequence }: Json): Stop | null {
  if (typeof reason !== "string") return null;
  return {
    reason: REASONS.get(reason) ?? "end",
    sequence: textOrNull(sequence),
  };
}
