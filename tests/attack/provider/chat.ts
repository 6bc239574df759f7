import { isObject } from "../../../src/core/bytes/is-object.ts";
import type { Json } from "../formats.ts";
import { choicesOf, type Counts, type Telling, usageOf, type Writer } from "./writer.ts";

const data = (event: Json): string => `data: ${JSON.stringify(event)}\n\n`;

const head = ({ id, model }: Telling): Json => ({
  id: `chatcmpl-${id}`,
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model,
});

const chunk = (telling: Telling, choice: number, delta: Json, reason: string | null = null): string =>
  data({ ...head(telling), choices: [{ index: choice, delta, finish_reason: reason }] });

const usage = (telling: Telling, { input, visible, hidden }: Counts): { usage?: Json } =>
  usageOf(telling, {
    prompt_tokens: input,
    completion_tokens: visible + hidden,
    total_tokens: input + visible + hidden,
    completion_tokens_details: { reasoning_tokens: hidden },
  });

const CALL = { index: 0, id: "call_1", type: "function", function: { name: "write", arguments: "" } };

const DELTAS: Record<Telling["habit"]["as"], (text: string, place: number) => Json> = {
  text: (content) => ({ content }),
  tool: (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  thoughts: (text) => ({ reasoning_content: text }),
  names: (name, place) => ({
    tool_calls: [{ index: place, id: `call_${place}`, type: "function", function: { name, arguments: "" } }],
  }),
  unlisted: (text) => ({ content: [{ type: "text", text }] }),
};

/** As OpenAI does, and those that copy it: usage comes once, at the end, and only to those who ask. */
export const CHAT: Writer = {
  format: "chat",
  event: (telling, event) => data({ ...head(telling), ...event }),
  opening: (telling) =>
    places(telling)
      .map((choice) => chunk(telling, choice, { role: "assistant", content: "" }))
      .join(""),
  begin: (telling) => (telling.habit.as === "tool" ? chunk(telling, 0, { tool_calls: [CALL] }) : ""),
  words: (telling, text, choice, { visible }) => chunk(telling, choice, DELTAS[telling.habit.as](text, visible)),
  closing: (telling, counts) => {
    if (telling.habit.abrupt) return "";
    const asked = telling.body["stream_options"];
    const told = usage(telling, counts);
    const wanted = isObject(asked) && asked["include_usage"] === true && told.usage !== undefined;
    return [
      ...places(telling).map((choice) => chunk(telling, choice, {}, "stop")),
      ...(wanted ? [data({ ...head(telling), choices: [], ...told })] : []),
      "data: [DONE]\n\n",
    ].join("");
  },
  failure: (_telling, how) =>
    data({ error: { message: "The response was filtered.", type: "invalid_request_error", code: how } }),
  whole: (telling, counts, text) => ({
    ...head(telling),
    object: "chat.completion",
    choices: places(telling).map((index) => ({
      index,
      message: { role: "assistant", content: text },
      finish_reason: "stop",
    })),
    ...usage(telling, counts),
  }),
};

const places = ({ body }: Telling): number[] => Array.from({ length: choicesOf(body) }, (_, index) => index);
