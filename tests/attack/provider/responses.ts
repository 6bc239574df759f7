import type { Json } from "../formats.ts";
import { type Counts, named, type Telling, usageOf, type Writer } from "./writer.ts";

/** What the provider repeats of the request in every object of the response. */
const ECHOED = ["instructions", "tools", "metadata", "text", "tool_choice", "prompt_cache_key", "user", "temperature"];

const usage = (telling: Telling, { input, visible, hidden }: Counts): { usage?: Json } =>
  usageOf(telling, {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: visible + hidden,
    output_tokens_details: { reasoning_tokens: hidden },
    total_tokens: input + visible + hidden,
  });

function object(telling: Telling, status: string, more: Json): Json {
  const { id, model, body, habit } = telling;
  const echo = habit.echo
    ? Object.fromEntries(ECHOED.flatMap((name) => (name in body ? [[name, body[name]]] : [])))
    : {};
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    status,
    model,
    ...echo,
    output: [],
    ...more,
  };
}

const message = (text: string): Json => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});

const at = { item_id: "msg_1", output_index: 0, content_index: 0 };

const ITEMS: Record<Telling["habit"]["as"], Json> = {
  text: { ...message(""), status: "in_progress", content: [] },
  tool: { id: "msg_1", type: "function_call", call_id: "call_1", name: "write", arguments: "", status: "in_progress" },
  thoughts: { id: "msg_1", type: "reasoning", summary: [] },
  names: { ...message(""), status: "in_progress", content: [] },
  unlisted: { ...message(""), status: "in_progress", content: [] },
};
const DELTAS: Record<Telling["habit"]["as"], string> = {
  text: "output_text",
  tool: "function_call_arguments",
  thoughts: "reasoning_summary_text",
  names: "",
  unlisted: "",
};

/** Items that come whole, one for each piece. */
const WHOLE: Partial<Record<Telling["habit"]["as"], (text: string) => Json>> = {
  names: (name) => ({ type: "function_call", name, arguments: "" }),
  unlisted: (text) => ({ type: "local_shell_call", action: { type: "exec", command: [text], env: {} } }),
};

/** As OpenAI does: the request comes back whole in the first event and in the last, and so does the answer in the last. */
export const RESPONSES: Writer = {
  format: "responses",
  event: (_telling, event) => named(event),
  opening: (telling) =>
    named({ type: "response.created", sequence_number: 0, response: object(telling, "in_progress", {}) }),
  begin: ({ habit }) =>
    [
      { type: "response.output_item.added", sequence_number: 1, output_index: 0, item: ITEMS[habit.as] },
      ...(habit.as === "text"
        ? [
            {
              type: "response.content_part.added",
              sequence_number: 2,
              ...at,
              part: { type: "output_text", text: "", annotations: [] },
            },
          ]
        : []),
    ]
      .map((event) => named(event))
      .join(""),
  words: ({ habit }, text, _choice, { visible }) => {
    const whole = WHOLE[habit.as]?.(text);
    return whole === undefined
      ? named({ type: `response.${DELTAS[habit.as]}.delta`, sequence_number: 3, ...at, summary_index: 0, delta: text })
      : named({
          type: "response.output_item.done",
          sequence_number: 3,
          output_index: visible,
          item: { id: `item_${visible}`, call_id: `call_${visible}`, status: "completed", ...whole },
        });
  },
  closing: (telling, counts, said) => {
    if (telling.habit.abrupt) return "";
    const text = telling.habit.hollow ? "" : said;
    const output = [message(text)];
    return [
      { type: "response.output_text.done", sequence_number: 4, ...at, text },
      { type: "response.content_part.done", sequence_number: 5, ...at, part: output[0]?.["content"] },
      { type: "response.output_item.done", sequence_number: 6, output_index: 0, item: output[0] },
      {
        type: "response.completed",
        sequence_number: 7,
        response: object(telling, "completed", { output, ...usage(telling, counts) }),
      },
    ]
      .map((event) => named(event))
      .join("");
  },
  failure: (telling, how) =>
    named({
      type: "response.failed",
      sequence_number: 8,
      response: object(telling, "failed", { error: { code: how, message: "The response was filtered." } }),
    }),
  whole: (telling, counts, text) =>
    object(telling, "completed", { output: [message(text)], ...usage(telling, counts) }),
};
