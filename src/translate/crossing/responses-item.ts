import type { AnsweredBlock, BlockHead } from "../form/answer-form.ts";
import { sealNative } from "../form/native.ts";
import type { Json } from "../form/read-json.ts";

type Event = { type: string } & Json;

/** A block as an item of the output, finished. */
export function itemOf(answerId: string, index: number, { head, text, native }: AnsweredBlock): Json {
  const id = itemId(answerId, index, head);
  switch (head.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", role: "assistant", status: "completed", content: [partOf(head, text)] };
    case "thinking": {
      const summary = text === "" ? [] : [{ type: "summary_text", text }];
      return { id, type: "reasoning", summary, ...(native === null ? {} : { encrypted_content: sealNative(native) }) };
    }
    case "tool_call":
      return { id, type: "function_call", status: "completed", call_id: head.id, name: head.name, arguments: text };
    default:
      return head satisfies never;
  }
}

/** The events of an item's life. An item holds one block, and its place in the output is the block's. */
export function createItemEvents(answerId: string) {
  const place = (index: number, head: BlockHead): Json => ({
    item_id: itemId(answerId, index, head),
    output_index: index,
  });
  /** Thinking that never says anything has no summary to begin. */
  const summaries = new Set<number>();

  function started(index: number, head: BlockHead): Event[] {
    const empty = itemOf(answerId, index, { head, text: "", native: null, stopped: false });
    const item = { ...empty, ...(head.kind === "thinking" ? {} : { status: "in_progress" }) };
    const added: Event = { type: "response.output_item.added", output_index: index, item };
    if (head.kind !== "text" && head.kind !== "refusal") return [added];
    return [
      { ...added, item: { ...item, content: [] } },
      { type: "response.content_part.added", ...place(index, head), content_index: 0, part: partOf(head, "") },
    ];
  }

  function grew(index: number, head: BlockHead, delta: string): Event[] {
    const at = place(index, head);
    switch (head.kind) {
      case "text":
        return [{ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] }];
      case "refusal":
        return [{ type: "response.refusal.delta", ...at, content_index: 0, delta }];
      case "tool_call":
        return [{ type: "response.function_call_arguments.delta", ...at, delta }];
      case "thinking": {
        const first = !summaries.has(index);
        summaries.add(index);
        const part = { type: "summary_text", text: "" };
        return [
          ...(first ? [{ type: "response.reasoning_summary_part.added", ...at, summary_index: 0, part }] : []),
          { type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta },
        ];
      }
      default:
        return head satisfies never;
    }
  }

  function finished(index: number, { head, text }: AnsweredBlock): Event[] {
    const at = place(index, head);
    switch (head.kind) {
      case "text":
      case "refusal": {
        const said = head.kind === "text" ? { text, logprobs: [] } : { refusal: text };
        const name = head.kind === "text" ? "output_text" : "refusal";
        return [
          { type: `response.${name}.done`, ...at, content_index: 0, ...said },
          { type: "response.content_part.done", ...at, content_index: 0, part: partOf(head, text) },
        ];
      }
      case "tool_call":
        return [{ type: "response.function_call_arguments.done", ...at, name: head.name, arguments: text }];
      case "thinking":
        if (!summaries.has(index)) return [];
        return [
          { type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text },
          {
            type: "response.reasoning_summary_part.done",
            ...at,
            summary_index: 0,
            part: { type: "summary_text", text },
          },
        ];
      default:
        return head satisfies never;
    }
  }

  return {
    started,
    grew,
    stopped: (index: number, block: AnsweredBlock): Event[] => [
      ...finished(index, block),
      { type: "response.output_item.done", output_index: index, item: itemOf(answerId, index, block) },
    ],
  };
}

const PREFIXES: Record<BlockHead["kind"], string> = { text: "msg", refusal: "msg", thinking: "rs", tool_call: "fc" };

const itemId = (answerId: string, index: number, { kind }: BlockHead): string =>
  `${PREFIXES[kind]}_${answerId}_${index}`;

function partOf({ kind }: BlockHead, text: string): Json {
  if (kind === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
