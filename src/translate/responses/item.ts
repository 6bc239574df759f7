import { type AnsweredBlock, begunBlock, type BlockHead } from "../form/answer-form.ts";
import type { Seal } from "../form/native.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { TokenProbability } from "../form/token-probability.ts";
import type { CallerTools } from "./caller-tools.ts";
import { type CallLife, CALLS, type MadeCall } from "./call.ts";
import { partFinished, partOf } from "./part.ts";

type Event = { type: string } & Json;
type Growth = { text: string; probabilities?: readonly TokenProbability[] };
type TextHead = Extract<BlockHead, { kind: "text" }>;
type CallHead = Extract<BlockHead, { kind: "tool_call" }>;

/** The answer that items belong to, the tools its calls can be of, and how its thoughts are sealed. */
export type ItemOwner = { answerId: string; tools: Pick<CallerTools, "calledBy">; seal: Seal };

/** A block as an item of the output, finished. */
export function itemOf(owner: ItemOwner, index: number, block: AnsweredBlock): Json {
  const { head, text, native, stopped } = block;
  if (head.kind === "tool_call") {
    const call = callOf(owner, index, head);
    return CALLS[call.tool.kind].item(call, text);
  }
  const id = itemId(owner, index, PREFIXES[head.kind]);
  switch (head.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", role: "assistant", status: "completed", content: [partOf(block)] };
    case "thinking": {
      const summary = text === "" ? [] : [{ type: "summary_text", text }];
      return { id, type: "reasoning", summary, ...(stopped ? { encrypted_content: owner.seal(native) } : {}) };
    }
    default:
      return head satisfies never;
  }
}

/** The events of an item's life. An item holds one block, and its place in the output is the block's. */
export function createItemEvents(owner: ItemOwner) {
  const calls = createCallEvents(owner);
  const summaries = createSummaryEvents();

  function started(index: number, head: BlockHead): Event[] {
    const begun = begunBlock(head);
    const empty = itemOf(owner, index, begun);
    const item = { ...empty, ...(head.kind === "thinking" ? {} : { status: "in_progress" }) };
    const added: Event = { type: "response.output_item.added", output_index: index, item };
    if (head.kind === "tool_call") calls.begin(index, head);
    if (head.kind !== "text" && head.kind !== "refusal") return [added];
    return [
      { ...added, item: { ...item, content: [] } },
      { type: "response.content_part.added", ...placeOf(owner, index, head), content_index: 0, part: partOf(begun) },
    ];
  }

  const textGrew = (index: number, head: TextHead, { text: delta, probabilities = [] }: Growth): Event =>
    textDelta({ ...placeOf(owner, index, head), content_index: 0 }, delta, probabilities);

  function grew(index: number, head: BlockHead, growth: Growth): Event[] {
    const { text: delta } = growth;
    switch (head.kind) {
      case "text":
        return [textGrew(index, head, growth)];
      case "refusal":
        return [{ type: "response.refusal.delta", ...placeOf(owner, index, head), content_index: 0, delta }];
      case "tool_call":
        return calls.tell(index, "grew", delta);
      case "thinking":
        return summaries.grew(index, placeOf(owner, index, head), delta);
      default:
        return head satisfies never;
    }
  }

  function finished(index: number, block: AnsweredBlock): Event[] {
    const { head, text } = block;
    switch (head.kind) {
      case "text":
      case "refusal":
        return partFinished({ ...placeOf(owner, index, head), content_index: 0 }, block);
      case "tool_call":
        return calls.tell(index, "finished", text);
      case "thinking":
        return summaries.finished(index, placeOf(owner, index, head), text);
      default:
        return head satisfies never;
    }
  }

  const stopped = (index: number, block: AnsweredBlock): Event[] => [
    ...finished(index, block),
    { type: "response.output_item.done", output_index: index, item: itemOf(owner, index, block) },
  ];

  return { started, grew, textGrew, stopped };
}

const placeOf = (owner: ItemOwner, index: number, { kind }: Exclude<BlockHead, CallHead>): Json => ({
  item_id: itemId(owner, index, PREFIXES[kind]),
  output_index: index,
});

const textDelta = (at: Json, delta: string, logprobs: readonly TokenProbability[]): Event => ({
  type: "response.output_text.delta",
  ...at,
  delta,
  logprobs,
});

/** What a call is told as depends on what its tool was offered as. */
function createCallEvents(owner: ItemOwner) {
  const calls = new Map<number, { place: Json; life: CallLife }>();
  return {
    begin: (index: number, head: CallHead): void => {
      const call = callOf(owner, index, head);
      const life = CALLS[call.tool.kind].life(call);
      calls.set(index, { place: { item_id: call.itemId, output_index: index }, life });
    },
    tell: (index: number, event: keyof CallLife, json: string): Event[] => {
      const call = calls.get(index);
      return call === undefined ? [] : call.life[event](json).map((told) => ({ ...told, ...call.place }));
    },
  };
}

/** Thinking is told as a summary of one part. That which never says anything has none to begin. */
function createSummaryEvents() {
  const begun = new Set<number>();
  return {
    grew: (index: number, place: Json, delta: string): Event[] => {
      const first = !begun.has(index);
      begun.add(index);
      const part = { type: "summary_text", text: "" };
      return [
        ...(first ? [{ type: "response.reasoning_summary_part.added", ...place, summary_index: 0, part }] : []),
        { type: "response.reasoning_summary_text.delta", ...place, summary_index: 0, delta },
      ];
    },
    finished: (index: number, place: Json, text: string): Event[] => {
      if (!begun.has(index)) return [];
      const at = { ...place, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_text.done", ...at, text },
        { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
      ];
    },
  };
}

const PREFIXES: Record<Exclude<BlockHead["kind"], "tool_call">, string> = {
  text: "msg",
  refusal: "msg",
  thinking: "rs",
};

const itemId = ({ answerId }: ItemOwner, index: number, prefix: string): string => `${prefix}_${answerId}_${index}`;

function callOf(owner: ItemOwner, index: number, { id, name }: CallHead): MadeCall {
  const tool = owner.tools.calledBy(name);
  return { itemId: itemId(owner, index, CALLS[tool.kind].prefix), callId: id, tool };
}
