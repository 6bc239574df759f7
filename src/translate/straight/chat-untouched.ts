import type { Usage } from "../../core/usage.ts";
import { CHAT_KEEP_ALIVE, chatFailure } from "../../wire/chat/chat-stream.ts";
import { chatUsageIn, readChatUsage } from "../../wire/chat/chat-usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { type AnswerStage, DROP, FAILED, PASS, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { chatUpstreamRequest } from "./chat-upstream-request.ts";
import { DeliveredText } from "../delivered-text.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent } from "../read-event.ts";
import type { SameFormat } from "../translator.ts";

const DONE = Buffer.from("[DONE]");
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
/** Where a chunk carries what was generated. */
const SAID = ["content", "arguments", "refusal"].map((name) => Buffer.from(`"${name}"`));
const THOUGHT = ["reasoning_content", "reasoning"].map((name) => Buffer.from(`"${name}"`));
const THOUGHTS = Buffer.from('"reasoning');
const SPACE = 0x20;
const COLON = 0x3a;
const BRACE = 0x7b;

/** Chat to chat where the provider keeps the stream rules itself: bytes pass as they came. [decision 32] */
export const chatUntouched: SameFormat = { request: chatUpstreamRequest, plain: readPlain, stage: createStage };

/** The whole answer is checked for being one; what is forwarded are the provider's own bytes. */
function readPlain(bytes: Buffer): PlainAnswer {
  return { bytes, usage: readChatUsage(chatUsageIn(parseChatAnswer(bytes))) };
}

export function parseChatAnswer(bytes: Buffer): Record<string, unknown> {
  return readAnswer(bytes, { kind: "chat completion", isOne: ({ choices }) => Array.isArray(choices) });
}

function createStage(request: GenerationRequest): AnswerStage {
  let terminal: Buffer | null = null;
  let usage: Usage | null = null;
  const delivered = new DeliveredText();

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    if (end - start < 32 && text.includes(DONE)) {
      terminal = Buffer.from(text);
      return TERMINAL;
    }
    if (hasObject(text, USAGE)) return usageEvent(text);
    if (text.includes(ERROR) && isErrorEvent(text)) return FAILED;
    noteGenerated(delivered, text);
    return PASS;
  }

  /** We asked for the usage whether or not the caller did; one who did not is not shown the extra event. */
  function usageEvent(text: Buffer): Verdict {
    const chunk = readEvent(text);
    if (chunk === null) return FAILED;
    usage = readChatUsage(chatUsageIn(chunk)) ?? usage;
    const extra = Array.isArray(chunk["choices"]) && chunk["choices"].length === 0;
    if (!extra) noteGenerated(delivered, text);
    return extra && !request.wantsUsageEvent ? DROP : PASS;
  }

  return {
    event,
    close: () => null,
    terminal: () => terminal,
    usage: () => usage,
    inputUsage: () => null,
    delivered,
    keepAlive: CHAT_KEEP_ALIVE,
    failure: chatFailure,
  };
}

/** Writes down what a chunk carries. */
export function noteGenerated(delivered: DeliveredText, chunk: Buffer): void {
  delivered.addMembers(chunk, SAID);
  if (chunk.includes(THOUGHTS)) delivered.addThoughts(chunk, THOUGHT);
}

/** Whether a name stands in the text with an object for its value: cheaper than parsing, for events that have neither. */
function hasObject(text: Buffer, name: Buffer): boolean {
  let at = text.indexOf(name);
  while (at !== -1) {
    at += name.length;
    while (text[at] === SPACE || text[at] === COLON) at++;
    if (text[at] === BRACE) return true;
    at = text.indexOf(name, at);
  }
  return false;
}

function isErrorEvent(text: Buffer): boolean {
  const chunk = readEvent(text);
  return chunk === null || Boolean(chunk["error"]);
}
