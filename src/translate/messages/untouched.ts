import { isObject } from "../../core/bytes/is-object.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { messagesUsageOf, usageToShow } from "../../wire/show-usage.ts";
import { MESSAGES_KEEP_ALIVE, messagesEvent, messagesFailure } from "../../wire/messages/messages-stream.ts";
import { mergeMessagesUsage, readMessagesUsage } from "../../wire/messages/messages-usage.ts";
import { type AnswerStage, DROP, FAILED, PASS, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { createEventName } from "../event-name.ts";
import { createMessagesRuns } from "./provider-runs.ts";
import { readMessagesGenerated } from "./generated.ts";
import { OutputMeter } from "../output-meter.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent, typeOf } from "../read-event.ts";
import type { SameFormat, Told } from "../translator.ts";
import { upstreamRequest } from "../form/upstream-request.ts";

/** A provider that keeps the format to the letter also knows how to be asked for its ordinary price alone. */
const STANDARD_TIER = Object.freeze({ service_tier: `"standard_only"` });

/** Messages to messages where the provider keeps the stream rules itself: bytes pass as they came. [interface decision 32] */
export const messagesUntouched: SameFormat = { request: writeRequest, plain: readPlain, stage: createStage };

function writeRequest(request: GenerationRequest, told: Told): Buffer {
  return upstreamRequest(request, told, STANDARD_TIER);
}

/** The whole answer is checked for being one; what is forwarded are the provider's own bytes. */
function readPlain(bytes: Buffer): PlainAnswer {
  const { usage } = readMessage(bytes);
  return { bytes, usage: readMessagesUsage(usage), shown: usage };
}

export function readMessage(bytes: Buffer): Record<string, unknown> {
  return readAnswer(bytes, {
    kind: "a message",
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

/** As `usageToShow`, for the last event of a stream: it need not say again what the first has said of the input. */
export function endUsageToShow(given: unknown, charged: Usage, begun: Usage | null): Record<string, unknown> | null {
  const said = isObject(given) && begun !== null && begun.inputTokens === charged.inputTokens;
  const input = messagesUsageOf(charged)["input_tokens"];
  return usageToShow("messages", said ? { input_tokens: input, ...given } : given, charged);
}

/** A beginning whose usage can be read; figures that cannot be are not known yet. */
export function soundStart(data: Record<string, unknown>): Record<string, unknown> {
  const { message } = data;
  if (!isObject(message) || readMessagesUsage(message["usage"]) !== null) return data;
  const usage = isObject(message["usage"]) ? message["usage"] : {};
  return { ...data, message: { ...message, usage: { ...usage, ...messagesUsageOf(NO_USAGE) } } };
}

/** Keeps the last event back that tells of the output, because what it shows is what is charged. */
function createKept() {
  let kept: Buffer | null = null;
  return {
    last: (): Buffer | null => kept,
    keep: (text: Buffer): Verdict => {
      const before = kept;
      kept = Buffer.from(text);
      return before ?? DROP;
    },
    /** What was not the last thing said after all goes out in its place. */
    pass: (text: Buffer): Verdict => {
      if (kept === null) return PASS;
      const before = kept;
      kept = null;
      return Buffer.concat([before, text]);
    },
  };
}

/** The last event of an answer with the usage that is charged. */
function showing(event: Buffer, charged: Usage, begun: Usage | null): Buffer {
  const data = readEvent(event) ?? {};
  const shown = endUsageToShow(data["usage"], charged, begun);
  return shown === null ? event : messagesEvent({ ...data, type: "message_delta", usage: shown });
}

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one stream.
function createStage(): AnswerStage {
  let stop: Buffer | null = null;
  let begun = false;
  const kept = createKept();
  const meter = createMessagesMeter();
  const runs = createMessagesRuns(meter.inputUsage);
  const output = new OutputMeter(readMessagesGenerated);
  const eventName = createEventName();

  function terminal(charged: Usage | null = meter.usage()): Buffer | null {
    const last = kept.last();
    if (stop === null || last === null) return stop;
    return Buffer.concat([charged === null ? last : showing(last, charged, meter.inputUsage()), stop]);
  }

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
    if (output.again(bytes, start, end)) return kept.pass(text);
    switch (eventName(bytes, start, end) ?? typeOf(readEvent(text)) ?? "") {
      case "message_start":
        return started(text, readEvent(text));
      case "message_delta":
        return advanced(text, readEvent(text));
      case "content_block_start":
        return blockBegan(text, readEvent(text));
      case "message_stop":
        // An end without a beginning is no answer.
        if (!begun) return FAILED;
        stop = Buffer.from(text);
        return TERMINAL;
      case "error":
        return FAILED;
      default:
        output.note(text);
        return kept.pass(text);
    }
  }

  function started(text: Buffer, data: Record<string, unknown> | null): Verdict {
    if (data === null) return FAILED;
    begun = true;
    meter.started(data);
    output.note(text, data);
    const sound = soundStart(data);
    return sound === data ? kept.pass(text) : messagesEvent({ ...sound, type: "message_start" });
  }

  function blockBegan(text: Buffer, data: Record<string, unknown> | null): Verdict {
    output.note(text, data);
    if (data !== null) runs.began(data);
    return kept.pass(text);
  }

  function advanced(text: Buffer, data: Record<string, unknown> | null): Verdict {
    if (data === null) return FAILED;
    meter.advanced(data);
    output.note(text, data);
    output.delivered.told(meter.usage()?.outputTokens ?? 0);
    return kept.keep(text);
  }

  return {
    event,
    close: () => null,
    terminal,
    usage: meter.usage,
    inputUsage: meter.inputUsage,
    providerRuns: runs.soFar,
    delivered: output.delivered,
    keepAlive: MESSAGES_KEEP_ALIVE,
    failure: messagesFailure,
  };
}
