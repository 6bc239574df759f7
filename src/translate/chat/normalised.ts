import { isObject } from "../../core/bytes/is-object.ts";
import type { Usage } from "../../core/money/usage.ts";
import { CHAT_KEEP_ALIVE, chatFailure } from "../../wire/chat/chat-stream.ts";
import { chatUsageOf } from "../../wire/chat/chat-usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { usageToShow } from "../../wire/show-usage.ts";
import { type AnswerStage, DROP, FAILED, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { chatUpstreamRequest } from "./upstream-request.ts";
import { readChatGenerated } from "./generated.ts";
import { parseChatAnswer } from "./untouched.ts";
import { OutputMeter } from "../output-meter.ts";
import { readEvent } from "../read-event.ts";
import { createCallNumbering } from "./number-tool-calls.ts";
import { repairDelta, repairMessage } from "./repair-delta.ts";
import type { SameFormat } from "../translator.ts";

const DONE = Buffer.from("data: [DONE]\n\n");

/**
 * Chat to chat where the provider speaks the format with an accent: no role at the start, null or structured content, missing
 * finish reasons, ids that change, no `[DONE]`. Repairs the rules of spec 6.1 and writes the public model id. [interface decision 32]
 */
export const chatNormalised: SameFormat = { request: chatUpstreamRequest, plain: readPlain, stage: createStage };

function readPlain(bytes: Buffer, request: GenerationRequest): PlainAnswer {
  const answer = parseChatAnswer(bytes);
  const usage = chatUsageOf(answer);
  const choices = (answer["choices"] as unknown[]).map((choice) => repairWholeChoice(choice));
  const repaired = { id: "", ...answer, object: "chat.completion", model: request.model, choices };
  return { bytes: Buffer.from(JSON.stringify(repaired)), usage, shown: answer["usage"] };
}

function repairWholeChoice(given: unknown): object {
  const choice = isObject(given) ? given : {};
  return { logprobs: null, ...choice, index: indexOf(choice), message: repairMessage(choice["message"]) };
}

type Head = { id: string; object: string; created: number; model: string };

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one stream.
function createStage(request: GenerationRequest): AnswerStage {
  let head: Head | null = null;
  let usage: Usage | null = null;
  let tier: unknown = null;
  let usageAsGiven: unknown = null;
  let done: Buffer | null = null;
  const choices = createChoices();
  const meter = new OutputMeter(readChatGenerated);

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    if (end - start < 32 && text.includes("[DONE]")) {
      // An end without anything before it is no answer.
      if (head === null) return FAILED;
      done = DONE;
      return TERMINAL;
    }
    const chunk = readEvent(text);
    if (chunk === null || chunk["error"]) return FAILED;
    tier = chunk["service_tier"] ?? tier;
    usage = chatUsageOf(chunk, tier) ?? usage;
    usageAsGiven = chunk["usage"] ?? usageAsGiven;
    meter.note(text, chunk);
    if (usage !== null) meter.delivered.told(usage.outputTokens);
    const given = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (given.length === 0) return DROP;

    head ??= headOf(chunk, request);
    const opening = given
      .flatMap((choice) => choices.open(choice))
      .map((opened) => encode({ ...head, choices: [opened] }));
    const repaired = given.map((choice) => choices.repair(choice));
    const { usage: _, ...rest } = chunk;
    return Buffer.concat([...opening, encode({ ...rest, ...head, choices: repaired })]);
  }

  /** Ends every choice. A provider that closed in good order but never said `[DONE]` is taken at its finish reason. */
  function close(): Buffer | null {
    if (done === null && !choices.anyEnded()) return null;
    done = DONE;
    const endings = choices.endings();
    return endings.length === 0 ? Buffer.alloc(0) : encode({ ...head, choices: endings });
  }

  function terminal(charged: Usage | null = usage): Buffer | null {
    if (done === null || !request.wantsUsageEvent || charged === null) return done;
    const shown = usageToShow("chat", usageAsGiven, charged) ?? usageAsGiven;
    return Buffer.concat([encode({ ...head, choices: [], usage: shown }), done]);
  }

  return {
    event,
    close,
    terminal,
    usage: () => usage,
    inputUsage: () => null,
    delivered: meter.delivered,
    keepAlive: CHAT_KEEP_ALIVE,
    failure: chatFailure,
  };
}

/** `reason` is kept back: only the end tells which chunk of a choice was the last. [spec 6.1.6] */
type Choice = { reason: string | null; numberCalls: ReturnType<typeof createCallNumbering>; toolCalls: boolean };

/** The choices of a stream, by their index. */
function createChoices() {
  const choices = new Map<number, Choice>();
  return {
    /** The first chunk of a choice carries the role and empty content, and nothing else. [spec 6.1.5] */
    open: (given: unknown): object[] => {
      const index = indexOf(given);
      if (choices.has(index)) return [];
      choices.set(index, { reason: null, numberCalls: createCallNumbering(), toolCalls: false });
      return [{ index, delta: { role: "assistant", content: "" }, finish_reason: null }];
    },
    repair: (given: unknown): object => {
      const choice = isObject(given) ? given : {};
      const index = indexOf(choice);
      const state = choices.get(index) as Choice;
      const delta = repairDelta(choice["delta"]);
      if (delta.tool_calls !== undefined) {
        state.toolCalls = true;
        delta.tool_calls = state.numberCalls(delta.tool_calls);
      }
      if (typeof choice["finish_reason"] === "string") state.reason = choice["finish_reason"];
      return { ...choice, index, delta, finish_reason: null };
    },
    anyEnded: (): boolean => [...choices.values()].some(({ reason }) => reason !== null),
    endings: (): object[] =>
      [...choices].map(([index, { reason, toolCalls }]) => ({
        index,
        delta: {},
        finish_reason: reason ?? (toolCalls ? "tool_calls" : "stop"),
      })),
  };
}

function headOf(chunk: Record<string, unknown>, request: GenerationRequest): Head {
  const { id, created } = chunk;
  return {
    id: typeof id === "string" && id !== "" ? id : "chatcmpl-unnamed",
    object: "chat.completion.chunk",
    created: typeof created === "number" ? created : 0,
    model: request.model,
  };
}

function indexOf(choice: unknown): number {
  return isObject(choice) && Number.isInteger(choice["index"]) ? (choice["index"] as number) : 0;
}

function encode(chunk: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}
