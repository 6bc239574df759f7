import type { Usage } from "../../core/money/usage.ts";
import { chatFailure } from "../../wire/chat/chat-stream.ts";
import { chatUsageOf } from "../../wire/show-usage.ts";
import {
  type Answer,
  type AnsweredBlock,
  type AnswerEvent,
  blockAt,
  type BlockHead,
  reasonOf,
  type StopReason,
} from "../form/answer-form.ts";
import { urlCitation } from "../form/citation.ts";
import type { Seal } from "../form/native.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { AnswerName, AnswerWriter, ClientSide } from "../form/sides.ts";
import { createTextTemplate } from "../form/text-template.ts";
import type { TokenProbability } from "../form/token-probability.ts";
import { createPlaces, type Place, placed } from "./thought-place.ts";

const REASONS: Record<StopReason, string> = {
  end: "stop",
  stop_sequence: "stop",
  length: "length",
  tool: "tool_calls",
  refused: "content_filter",
};
const NOWHERE: Place = { calls: 0, spoken: false };
const DONE = Buffer.from("data: [DONE]\n\n");

// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one answer.
export function createChatWriter(name: AnswerName, answer: Answer): AnswerWriter {
  const { head, chunk } = createChunks(name, answer);
  const calls = createCallDeltas();
  const asides = createAsides(name, answer);
  /** Made with the first text; what is known of the answer then is what chunks say of it. */
  let contentChunk: ((text: string) => Buffer) | null = null;

  function begun(index: number, block: BlockHead): Buffer[] {
    asides.begun(index, block);
    return block.kind === "tool_call" ? [chunk(calls.begun(index, block))] : [];
  }

  function grown({ index, text, probabilities = [] }: Extract<AnswerEvent, { kind: "block-grew" }>): Buffer[] {
    const { head: block } = blockAt(answer, index);
    switch (block.kind) {
      case "text":
        asides.said(index, text);
        if (probabilities.length > 0) return [chunk({ content: text }, { probabilities })];
        contentChunk ??= createTextTemplate((content) => chunk({ content }));
        return [contentChunk(text)];
      case "refusal":
        return [chunk({ refusal: text })];
      case "thinking":
        return [chunk({ reasoning_content: text })];
      case "tool_call":
        return [chunk(calls.grown(index, text))];
      default:
        return block satisfies never;
    }
  }

  function write(event: AnswerEvent): Buffer[] {
    switch (event.kind) {
      case "answer-started":
        return [chunk({ role: "assistant", content: "" })];
      case "block-started":
        return begun(event.index, event.block);
      case "block-grew":
        return grown(event);
      case "block-stopped":
        return asides.stopped(event.index).map((delta) => chunk(delta));
      case "block-cited":
      case "block-sealed":
      case "tier-named":
      case "answer-stopped":
        return [];
      default:
        return event satisfies never;
    }
  }

  function close(usage: Usage | null): ReturnType<AnswerWriter["close"]> {
    const told =
      name.usageWanted && usage ? { ...head, ...tierOf(answer), choices: [], usage: chatUsageOf(usage) } : null;
    const last = chunk({}, { reason: REASONS[reasonOf(answer)] });
    return { rest: told === null ? [last] : [last, encode(told)], terminal: DONE };
  }

  return { write, close, failure: chatFailure };
}

/** What a chunk says beside its delta. */
type Aside = { reason?: string | null; probabilities?: readonly TokenProbability[] };

/** The chunks of one answer, which differ in their deltas. */
function createChunks({ id, model, createdAtSeconds, usageWanted }: AnswerName, answer: Answer) {
  const head = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: createdAtSeconds, model };
  const emptyUsage = usageWanted ? { usage: null } : {};
  const chunk = (delta: Json, { reason = null, probabilities = [] }: Aside = {}): Buffer =>
    encode({
      ...head,
      ...tierOf(answer),
      choices: [{ index: 0, delta, logprobs: logprobsOf(probabilities), finish_reason: reason }],
      ...emptyUsage,
    });
  return { head, chunk };
}

/** Calls have numbers of their own here, without the blocks between them. */
function createCallDeltas() {
  const numbers = new Map<number, number>();
  return {
    begun: (block: number, { id, name }: Extract<BlockHead, { kind: "tool_call" }>): Json => {
      const index = numbers.size;
      numbers.set(block, index);
      return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    },
    grown: (block: number, text: string): Json => ({
      tool_calls: [{ index: numbers.get(block), function: { arguments: text } }],
    }),
  };
}

/** What is told of a block when it has ended, by where it stood among the others. */
function createAsides({ seal }: AnswerName, answer: Answer) {
  /** Where each block stands, by its number. */
  const places = new Map<number, Place>();
  const placeOf = createPlaces();
  /** Where each block of text begins in the content, which is all of them together. */
  const offsets = new Map<number, number>();
  let contentLength = 0;

  return {
    begun: (index: number, block: BlockHead): void => {
      places.set(index, placeOf(block));
    },
    said: (index: number, text: string): void => {
      if (!offsets.has(index)) offsets.set(index, contentLength);
      contentLength += text.length;
    },
    stopped: (index: number): Json[] => {
      const block = blockAt(answer, index);
      const details = detailsOf(block, places.get(index) ?? NOWHERE, seal);
      const annotations = annotationsOf(block, offsets.get(index) ?? contentLength);
      return [
        ...(details.length === 0 ? [] : [{ reasoning_details: details }]),
        ...(annotations.length === 0 ? [] : [{ annotations }]),
      ];
    },
  };
}

export const wholeChatCompletion: ClientSide["whole"] = ({ id, model, createdAtSeconds, seal }, answer, usage) => {
  const { blocks } = answer;
  const text = (kind: "text" | "refusal" | "thinking"): string | null => {
    const texts = blocks.flatMap((block) => (block.head.kind === kind ? [block.text] : []));
    return texts.length === 0 ? null : texts.join("");
  };
  const calls = blocks.flatMap(({ head, text: input }) =>
    head.kind === "tool_call"
      ? [{ id: head.id, type: "function", function: { name: head.name, arguments: input } }]
      : [],
  );
  const spoken = blocks.filter(({ head }) => head.kind === "text");
  let offset = 0;
  const annotations = spoken.flatMap((block) => {
    const before = offset;
    offset += block.text.length;
    return annotationsOf(block, before);
  });
  const thought = text("thinking");
  const placeOf = createPlaces();
  const details = blocks.flatMap((block) => detailsOf(block, placeOf(block.head), seal));
  const probabilities = spoken.flatMap((block) => block.probabilities);
  const message = {
    role: "assistant",
    content: text("text"),
    refusal: text("refusal"),
    ...(thought === null || thought === "" ? {} : { reasoning_content: thought }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: createdAtSeconds,
    model,
    ...tierOf(answer),
    choices: [{ index: 0, message, logprobs: logprobsOf(probabilities), finish_reason: REASONS[reasonOf(answer)] }],
    ...(usage && { usage: chatUsageOf(usage) }),
  };
};

/** What the provider wants to see again with its thinking; clients of this dialect send it back unread. */
function detailsOf({ head, text, native }: AnsweredBlock, place: Place, seal: Seal): Json[] {
  if (head.kind !== "thinking" || native === null) return [];
  const sealed = seal(placed(native, place));
  return [
    text === "" ? { type: "reasoning.encrypted", data: sealed } : { type: "reasoning.text", text, signature: sealed },
  ];
}

function annotationsOf({ citations, text }: AnsweredBlock, offset: number): Json[] {
  return citations.map((citation) => ({
    type: "url_citation",
    url_citation: urlCitation(citation, { offset, length: text.length }),
  }));
}

const logprobsOf = (content: readonly TokenProbability[]): Json | null =>
  content.length === 0 ? null : { content, refusal: null };

const tierOf = ({ tier }: Answer): Json =>
  tier === null ? {} : { service_tier: tier === "ordinary" ? "default" : tier };

function encode(chunk: Json): Buffer {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}
