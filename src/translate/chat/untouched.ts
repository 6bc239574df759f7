import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import type { Usage } from "../../core/money/usage.ts";
import { CHAT_KEEP_ALIVE, chatFailure } from "../../wire/chat/chat-stream.ts";
import { chatUsageOf, readChatUsage } from "../../wire/chat/chat-usage.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { usageToShow } from "../../wire/show-usage.ts";
import { type AnswerStage, DROP, FAILED, PASS, type PlainAnswer, TERMINAL, type Verdict } from "../answer-stage.ts";
import { chatUpstreamRequest } from "./upstream-request.ts";
import { readChatGenerated } from "./generated.ts";
import { NamesFound, wantNames } from "../names-found.ts";
import { OutputMeter } from "../output-meter.ts";
import { readAnswer } from "../read-answer.ts";
import { readEvent } from "../read-event.ts";
import type { SameFormat } from "../translator.ts";

const DONE = Buffer.from("[DONE]");
/** What a chunk is looked through for: what makes it more than a piece of the answer. */
const WANTED = wantNames(["usage", "error"]);
const USAGE = 0;
const ERROR = 1;
const SPACE = 0x20;
const COLON = 0x3a;
const FIRST_OF_NULL = 0x6e;

/** Chat to chat where the provider keeps the stream rules itself: bytes pass as they came. [interface decision 32] */
export const chatUntouched: SameFormat = { request: chatUpstreamRequest, plain: readPlain, stage: createStage };

/** The whole answer is checked for being one; what is forwarded are the provider's own bytes. */
function readPlain(bytes: Buffer): PlainAnswer {
  const answer = parseChatAnswer(bytes);
  return { bytes, usage: chatUsageOf(answer), shown: answer["usage"] };
}

export function parseChatAnswer(bytes: Buffer): Record<string, unknown> {
  return readAnswer(bytes, {
    kind: "a chat completion",
    isOne: ({ choices, error }) => Array.isArray(choices) && !error,
  });
}

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one stream.
function createStage(request: GenerationRequest): AnswerStage {
  let done: Buffer | null = null;
  let usage: Usage | null = null;
  let tier: unknown = null;
  /** The last event with a usage and nothing else. It is kept back, because what it shows is what is charged. */
  let kept: Buffer | null = null;
  /** Read only when a usage has to be shown that the provider did not give. */
  let lastPassed: Buffer | null = null;
  const meter = new OutputMeter(readChatGenerated);
  const { delivered } = meter;
  const names = new NamesFound(WANTED);

  /** A usage that was not the last thing said after all goes out in its place. */
  function pass(text: Buffer): Verdict {
    // A comment says nothing.
    if (text[0] !== COLON) lastPassed = text;
    if (kept === null) return PASS;
    const before = kept;
    kept = null;
    return request.wantsUsageEvent && usage !== null ? Buffer.concat([before, text]) : PASS;
  }

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
    if (meter.again(bytes, start, end)) return pass(text);
    if (end - start < 32 && text.includes(DONE)) return ending(text);
    names.search(bytes, start, end);
    if (hasValue(names, USAGE)) return usageEvent(text);
    if (names.has(ERROR) && isErrorEvent(text)) return FAILED;
    // Only who asks for a tier may be served in another one at its own price, and every chunk names it.
    if (request.tier !== PLAIN_TIER && lastPassed === null) tier = readEvent(text)?.["service_tier"];
    meter.note(text);
    return pass(text);
  }

  /** An end without anything before it is no answer. */
  function ending(text: Buffer): Verdict {
    if (lastPassed === null) return FAILED;
    done = Buffer.from(text);
    return TERMINAL;
  }

  /** We asked for the usage whether or not the caller did; one who did not is not shown the extra event. */
  function usageEvent(text: Buffer): Verdict {
    const chunk = readEvent(text);
    if (chunk === null || chunk["error"]) return FAILED;
    usage = chatUsageOf(chunk, tier) ?? usage;
    meter.note(text, chunk);
    if (usage !== null) delivered.told(usage.outputTokens);
    const extra = Array.isArray(chunk["choices"]) && chunk["choices"].length === 0;
    if (extra) {
      kept = Buffer.from(text);
      return DROP;
    }
    const verdict = pass(text);
    return isSound(chunk["usage"]) ? verdict : withUsage(text, null);
  }

  function terminal(charged: Usage | null = usage): Buffer | null {
    if (done === null || !request.wantsUsageEvent || charged === null) return done;
    const event = kept ?? (lastPassed && withoutChoices(lastPassed));
    return event === null ? done : Buffer.concat([showing(event, charged), done]);
  }

  return {
    event,
    close: () => null,
    terminal,
    usage: () => usage,
    inputUsage: () => null,
    delivered,
    keepAlive: CHAT_KEEP_ALIVE,
    failure: chatFailure,
  };
}

/** Whether a usage amid an answer can be shown as it is. */
function isSound(usage: unknown): boolean {
  const said = readChatUsage(usage);
  return usage == null || (said !== null && usageToShow("chat", usage, said) === null);
}

/** An event with the usage that is charged. */
function showing(event: Buffer, charged: Usage): Buffer {
  const shown = usageToShow("chat", readEvent(event)?.["usage"], charged);
  return shown === null ? event : withUsage(event, shown);
}

/** The chunk with another usage; Groq's own place for it goes. */
function withUsage(event: Buffer, usage: object | null): Buffer {
  const { x_groq: _, ...chunk } = readEvent(event) ?? {};
  return Buffer.from(`data: ${JSON.stringify({ ...chunk, usage })}\n\n`);
}

const withoutChoices = (event: Buffer): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ ...readEvent(event), choices: [], usage: null })}\n\n`);

/** Whether a name stands in the text with a value that is not null: cheaper than parsing, for events that have neither. */
function hasValue(found: NamesFound, name: number): boolean {
  const { bytes } = found;
  for (let place = found.placeOf(name); place !== -1; place = found.placeOf(name, place)) {
    let at = found.endOf(place);
    while (bytes[at] === SPACE || bytes[at] === COLON) at++;
    if (bytes[at] !== FIRST_OF_NULL) return true;
  }
  return false;
}

function isErrorEvent(text: Buffer): boolean {
  const chunk = readEvent(text);
  return chunk === null || Boolean(chunk["error"]);
}
