import type { Json } from "../formats.ts";
import { type Counts, named, type Telling, usageOf, type Writer } from "./writer.ts";

const usage = (telling: Telling, { input, visible, hidden }: Counts): { usage?: Json } =>
  usageOf(telling, { input_tokens: input, output_tokens: visible + hidden });

const envelope = ({ id, model }: Telling): Json => ({ id: `msg_${id}`, type: "message", role: "assistant", model });

const all = (events: readonly Json[]): string => events.map((event) => named(event)).join("");

/** What was thought is sealed: a proof of it, and nothing to read. */
const THOUGHT_BEGINS = {
  type: "content_block_start",
  index: 0,
  content_block: { type: "redacted_thinking", data: "cHJvb2Y=" },
};
const THOUGHT_ENDS = { type: "content_block_stop", index: 0 };

const BLOCKS: Record<Telling["habit"]["as"], Json> = {
  text: { type: "text", text: "" },
  tool: { type: "tool_use", id: "toolu_1", name: "write", input: {} },
  thoughts: { type: "thinking", thinking: "", signature: "" },
  names: { type: "text", text: "" },
  unlisted: { type: "compaction", content: "" },
};
const DELTAS: Record<Telling["habit"]["as"], (text: string) => Json> = {
  text: (text) => ({ type: "text_delta", text }),
  tool: (text) => ({ type: "input_json_delta", partial_json: text }),
  thoughts: (text) => ({ type: "thinking_delta", thinking: text }),
  names: (text) => ({ type: "text_delta", text }),
  unlisted: (content) => ({ type: "compaction_delta", content }),
};

const placeOf = ({ habit }: Telling): number => (habit.hidden > 0 ? 1 : 0);

const ending = { stop_reason: "end_turn", stop_sequence: null };

/** As Anthropic does: the input is counted in the first event, thoughts are a block of which only a proof is seen. */
export const MESSAGES: Writer = {
  format: "messages",
  event: (_telling, event) => named(event),
  opening: (telling, { input }) => {
    const start = { ...envelope(telling), content: [], stop_reason: null, stop_sequence: null };
    const told = usage(telling, { input, visible: 1, hidden: 0 });
    return all([{ type: "message_start", message: { ...start, ...told } }, { type: "ping" }]);
  },
  begin: (telling) =>
    all([
      ...(telling.habit.hidden > 0 ? [THOUGHT_BEGINS, THOUGHT_ENDS] : []),
      { type: "content_block_start", index: placeOf(telling), content_block: BLOCKS[telling.habit.as] },
    ]),
  words: (telling, text, _choice, { visible }) =>
    telling.habit.as === "names"
      ? named({
          type: "content_block_start",
          index: visible,
          content_block: { type: "tool_use", id: `toolu_${visible}`, name: text, input: {} },
        })
      : named({
          type: "content_block_delta",
          index: placeOf(telling),
          delta: DELTAS[telling.habit.as](text),
        }),
  closing: (telling, counts) => {
    if (telling.habit.abrupt) return "";
    const { usage: told } = usage(telling, counts);
    return all([
      { type: "content_block_stop", index: placeOf(telling) },
      { type: "message_delta", delta: ending, ...(told && { usage: told }) },
      { type: "message_stop" },
    ]);
  },
  failure: (_telling, how) =>
    named({ type: "error", error: { type: how === "overloaded" ? "overloaded_error" : "api_error", message: how } }),
  whole: (telling, counts, text) => ({
    ...envelope(telling),
    content: [{ type: "text", text }],
    ...ending,
    ...usage(telling, counts),
  }),
};
