import { isObject } from "../../core/bytes/is-object.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { editMembers } from "../../wire/json/edit-members.ts";
import { findMembers } from "../../wire/json/members.ts";
import {
  MESSAGE_STOP,
  MESSAGES_KEEP_ALIVE,
  messagesEvent,
  messagesFailure,
} from "../../wire/messages/messages-stream.ts";
import { readMessagesUsage } from "../../wire/messages/messages-usage.ts";
import { type AnswerStage, DROP, FAILED, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { readMessagesGenerated } from "./generated.ts";
import { OutputMeter } from "../output-meter.ts";
import { createMessagesRuns } from "./provider-runs.ts";
import { createMessagesMeter, endUsageToShow, readMessage, soundStart } from "./untouched.ts";
import { readEvent, typeOf } from "../read-event.ts";
import type { SameFormat } from "../translator.ts";
import { upstreamRequest } from "../form/upstream-request.ts";

/**
 * Messages to messages where the provider speaks the format with an accent: events without a name, a beginning said twice, no
 * `message_stop`. Repairs what makes official clients give up, and writes the public model id. [interface decision 32]
 */
export const messagesNormalised: SameFormat = { request: upstreamRequest, plain: readPlain, stage: createStage };

function readPlain(bytes: Buffer, request: GenerationRequest): PlainAnswer {
  const { usage: shown } = readMessage(bytes);
  const usage = readMessagesUsage(shown);
  return { bytes: editMembers(bytes, findMembers(bytes), { model: JSON.stringify(request.model) }), usage, shown };
}

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one stream.
function createStage(request: GenerationRequest): AnswerStage {
  let stop: Buffer | null = null;
  const meter = createMessagesMeter();
  const runs = createMessagesRuns(meter.inputUsage);
  const kept = createKept();
  const beginning = createBeginning(meter, request.model);
  const output = new OutputMeter(readMessagesGenerated);

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    const data = readEvent(text);
    const type = typeOf(data);
    if (data === null) return FAILED;
    output.note(text, data);
    if (type === null) return DROP;
    switch (type) {
      case "message_start":
        return beginning.told(data);
      case "content_block_start":
        beginning.over();
        runs.began(data);
        break;
      case "message_delta":
        meter.advanced(data);
        output.delivered.told(meter.usage()?.outputTokens ?? 0);
        return kept.keep(data);
      case "message_stop":
        // An end without a beginning is no answer.
        if (!beginning.begun()) return FAILED;
        stop = MESSAGE_STOP;
        return TERMINAL;
      case "error":
        return FAILED;
      default:
    }
    return kept.pass(messagesEvent({ ...data, type }));
  }

  function terminal(charged: Usage | null = meter.usage()): Buffer | null {
    const last = kept.last();
    if (stop === null || last === null) return stop;
    const shown = charged && endUsageToShow(last["usage"], charged, meter.inputUsage());
    return Buffer.concat([deltaEvent(shown === null ? last : { ...last, usage: shown }), stop]);
  }

  /** A provider that closed in good order but never said `message_stop` is taken at its stop reason. */
  function close(): null {
    if (kept.namesReason()) stop ??= MESSAGE_STOP;
    return null;
  }

  return {
    event,
    close,
    terminal,
    usage: meter.usage,
    inputUsage: meter.inputUsage,
    providerRuns: runs.soFar,
    delivered: output.delivered,
    keepAlive: MESSAGES_KEEP_ALIVE,
    failure: messagesFailure,
  };
}

/** Keeps the last event back that tells of the output, because what it shows is what is charged. */
function createKept() {
  let kept: Record<string, unknown> | null = null;
  let reasonSeen = false;
  return {
    /** Whether one of them has said why the model stopped. */
    namesReason: (): boolean => reasonSeen,
    last: (): Record<string, unknown> | null => kept,
    /** Takes the place of the one before, which goes out. */
    keep: (data: Record<string, unknown>): Verdict => {
      const before = kept;
      kept = data;
      reasonSeen ||= isObject(data["delta"]) && typeof data["delta"]["stop_reason"] === "string";
      return before === null ? DROP : deltaEvent(before);
    },
    /** What was not the last thing said after all goes out in its place. */
    pass: (event: Buffer): Buffer => {
      if (kept === null) return event;
      const before = deltaEvent(kept);
      kept = null;
      return Buffer.concat([before, event]);
    },
  };
}

const deltaEvent = (data: Record<string, unknown>): Buffer => messagesEvent({ ...data, type: "message_delta" });

/** Said twice it is said once. A second beginning amid content is another answer, and the two cannot be made one. */
function createBeginning(meter: ReturnType<typeof createMessagesMeter>, model: string) {
  let begun = false;
  let contentBegun = false;
  return {
    begun: (): boolean => begun || contentBegun,
    told: (data: Record<string, unknown>): Verdict => {
      if (contentBegun || !isObject(data["message"])) return FAILED;
      meter.started(data);
      if (begun) return DROP;
      begun = true;
      const message = { ...(soundStart(data)["message"] as object), model };
      return messagesEvent({ ...data, type: "message_start", message });
    },
    over: (): void => {
      contentBegun = true;
    },
  };
}
