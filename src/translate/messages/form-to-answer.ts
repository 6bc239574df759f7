import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { MESSAGE_STOP, messagesEvent, messagesFailure } from "../../wire/messages/messages-stream.ts";
import { messagesUsageOf } from "../../wire/show-usage.ts";
import {
  type Answer,
  type AnsweredBlock,
  type AnswerEvent,
  blockAt,
  type BlockHead,
  reasonOf,
  type StopReason,
} from "../form/answer-form.ts";
import { sourceCitation } from "../form/citation.ts";
import type { Seal } from "../form/native.ts";
import { createOneAtATime } from "../form/one-at-a-time.ts";
import { argumentsIn } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { AnswerName, AnswerWriter, ClientSide } from "../form/sides.ts";
import { createTextTemplate } from "../form/text-template.ts";

const REASONS: Record<StopReason, string> = {
  end: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool: "tool_use",
  refused: "refusal",
};

/** What the official client's types want of every answer, and the other dialects say nothing of. */
const UNSAID_OF_USAGE = Object.freeze({ cache_creation: null, inference_geo: null, speed: null });
/** What a message that has only begun says of itself. */
const EMPTY = Object.freeze({
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
});
/** Calls are the model's own, and not of code that it had run. */
const DIRECT = Object.freeze({ type: "direct" });

export function createMessagesWriter(name: AnswerName, answer: Answer): AnswerWriter {
  const inOrder = createOneAtATime();
  /** How each block grows; one is begun before it does. */
  const growth = new Map<number, (text: string) => Buffer>();

  function write(event: AnswerEvent): Buffer[] {
    switch (event.kind) {
      case "answer-started":
        return [messagesEvent({ type: "message_start", message: { ...messageOf(name, answer, NO_USAGE), ...EMPTY } })];
      case "block-started":
        growth.set(event.index, growthOf(event.index, event.block.kind));
        return [block("start", event.index, { content_block: emptyBlock(event.block) })];
      case "block-grew":
        return grown(event.text, growth.get(event.index));
      case "block-cited":
        return [
          block("delta", event.index, {
            delta: { type: "citations_delta", citation: sourceCitation(event.citation, name.seal) },
          }),
        ];
      case "block-stopped":
        return [...signed(event.index), block("stop", event.index, {})];
      case "block-sealed":
      case "tier-named":
      case "answer-stopped":
        return [];
      default:
        return event satisfies never;
    }
  }

  /** Once it is whole, thinking says who may be shown it again. */
  function signed(index: number): Buffer[] {
    const { head, native } = blockAt(answer, index);
    if (head.kind !== "thinking") return [];
    return [block("delta", index, { delta: { type: "signature_delta", signature: name.seal(native) } })];
  }

  return {
    write: (event) => {
      const events = inOrder(event);
      return events.length === 1 ? write(events[0] as AnswerEvent) : events.flatMap((next) => write(next));
    },
    close: (usage) => ({
      rest: [
        messagesEvent({ type: "message_delta", delta: stopOf(answer), usage: messagesUsageOf(usage ?? NO_USAGE) }),
      ],
      terminal: MESSAGE_STOP,
    }),
    failure: messagesFailure,
  };
}

export const wholeMessageAnswer: ClientSide["whole"] = (name, answer, usage) =>
  messageOf(name, answer, usage ?? NO_USAGE);

function messageOf({ id, model, seal }: AnswerName, answer: Answer, usage: Usage): Json {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: answer.blocks.map((item) => wholeBlock(item, seal)),
    ...stopOf(answer),
    diagnostics: null,
    usage: { ...messagesUsageOf(usage), ...UNSAID_OF_USAGE, service_tier: tierOf(answer) },
  };
}

const block = (what: "start" | "delta" | "stop", index: number, rest: Json): Buffer =>
  messagesEvent({ type: `content_block_${what}`, index, ...rest });

function emptyBlock(head: BlockHead): Json {
  switch (head.kind) {
    case "text":
    case "refusal":
      return { type: "text", text: "", citations: null };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_call":
      return { type: "tool_use", id: head.id, name: head.name, input: {}, caller: DIRECT };
    default:
      return head satisfies never;
  }
}

const growthOf = (index: number, kind: BlockHead["kind"]): ((text: string) => Buffer) =>
  createTextTemplate((text) => block("delta", index, { delta: deltaOf(kind, text) }));

/** Tokens may come that are a part of a character, and nothing to read yet. */
const grown = (text: string, write: ((text: string) => Buffer) | undefined): Buffer[] =>
  text === "" || write === undefined ? [] : [write(text)];

function deltaOf(kind: BlockHead["kind"], text: string): Json {
  if (kind === "thinking") return { type: "thinking_delta", thinking: text };
  if (kind === "tool_call") return { type: "input_json_delta", partial_json: text };
  return { type: "text_delta", text };
}

function wholeBlock({ head, text, citations, native }: AnsweredBlock, seal: Seal): Json {
  const empty = emptyBlock(head);
  if (head.kind === "thinking") return { ...empty, thinking: text, signature: seal(native) };
  if (head.kind === "tool_call") return { ...empty, input: argumentsIn(text) };
  return {
    ...empty,
    text,
    ...(citations.length === 0 ? {} : { citations: citations.map((citation) => sourceCitation(citation, seal)) }),
  };
}

function stopOf(answer: Answer): Json {
  const refused = answer.blocks.some(({ head }) => head.kind === "refusal");
  return {
    stop_reason: refused ? REASONS.refused : REASONS[reasonOf(answer)],
    stop_sequence: answer.stop.sequence,
    stop_details: null,
    container: null,
  };
}

const tierOf = ({ tier }: Answer): string | null => (tier === "ordinary" ? "standard" : tier);
