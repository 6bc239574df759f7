import { isObject } from "../../core/is-object.ts";
import type { Usage } from "../../core/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { MESSAGES_KEEP_ALIVE, messagesFailure } from "../../wire/messages/messages-stream.ts";
import { mergeMessagesUsage, readMessagesUsage } from "../../wire/messages/messages-usage.ts";
import { type AnswerStage, FAILED, PASS, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { DeliveredText } from "../delivered-text.ts";
import { eventName } from "../event-name.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent, typeOf } from "../read-event.ts";
import type { SameFormat, Told } from "../translator.ts";
import { upstreamRequest } from "./upstream-request.ts";

/** Where a delta carries what was generated. Signatures and citations are not generated text. */
const SAID = ["text", "partial_json"].map((name) => Buffer.from(`"${name}"`));
const THOUGHT = [Buffer.from('"thinking"')];

/** Writes down what a delta carries. */
export function noteMessagesDelta(delivered: DeliveredText, delta: Buffer): void {
  delivered.addMembers(delta, SAID);
  delivered.addThoughts(delta, THOUGHT);
}

/** A provider that keeps the format to the letter also knows how to be asked for its ordinary price alone. */
const STANDARD_TIER = Object.freeze({ service_tier: `"standard_only"` });

/** Messages to messages where the provider keeps the stream rules itself: bytes pass as they came. [decision 32] */
export const messagesUntouched: SameFormat = { request: writeRequest, plain: readPlain, stage: createStage };

function writeRequest(request: GenerationRequest, told: Told): Buffer {
  return upstreamRequest(request, told, STANDARD_TIER);
}

/** The whole answer is checked for being one; what is forwarded are the provider's own bytes. */
function readPlain(bytes: Buffer): PlainAnswer {
  return { bytes, usage: readMessagesUsage(readMessage(bytes)["usage"]) };
}

export function readMessage(bytes: Buffer): Record<string, unknown> {
  return readAnswer(bytes, {
    kind: "message",
    isOne: ({ type, content }) => type === "message" && Array.isArray(content),
  });
}

/** What the events of one stream say of its usage. */
export function createMessagesMeter() {
  let seen: Record<string, unknown> = {};
  let inputSeen = false;
  let outputSeen = false;
  return {
    /** The input is known from here on; the output stated here is only that of the first moment. */
    started: (event: Record<string, unknown>): void => {
      if (!isObject(event["message"])) return;
      seen = mergeMessagesUsage(seen, event["message"]["usage"]);
      inputSeen = true;
    },
    advanced: (event: Record<string, unknown>): void => {
      seen = mergeMessagesUsage(seen, event["usage"]);
      outputSeen ||= isObject(event["usage"]);
    },
    usage: (): Usage | null => (outputSeen ? readMessagesUsage(seen) : null),
    inputUsage: (): Usage | null => (inputSeen ? readMessagesUsage({ ...seen, output_tokens: 0 }) : null),
  };
}

function createStage(): AnswerStage {
  let terminal: Buffer | null = null;
  const meter = createMessagesMeter();
  const delivered = new DeliveredText();

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    switch (eventName(bytes, start, end) ?? typeOf(readEvent(text)) ?? "") {
      case "content_block_delta":
        noteMessagesDelta(delivered, text);
        return PASS;
      case "message_start":
        return metered(text, meter.started);
      case "message_delta":
        return metered(text, meter.advanced);
      case "message_stop":
        terminal = Buffer.from(text);
        return TERMINAL;
      case "error":
        return FAILED;
      default:
        return PASS;
    }
  }

  function metered(text: Buffer, note: (event: Record<string, unknown>) => void): Verdict {
    const data = readEvent(text);
    if (data === null) return FAILED;
    note(data);
    return PASS;
  }

  return {
    event,
    close: () => null,
    terminal: () => terminal,
    usage: meter.usage,
    inputUsage: meter.inputUsage,
    delivered,
    keepAlive: MESSAGES_KEEP_ALIVE,
    failure: messagesFailure,
  };
}
