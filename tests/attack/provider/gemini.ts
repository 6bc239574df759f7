import type { Json } from "../formats.ts";
import { type Counts, type Telling, usageOf, type Writer } from "./writer.ts";

const data = (event: Json): string => `data: ${JSON.stringify(event)}\r\n\r\n`;

const usage = (telling: Telling, { input, visible, hidden }: Counts): Json => {
  const { usage: told } = usageOf(telling, {
    promptTokenCount: input,
    candidatesTokenCount: visible,
    thoughtsTokenCount: hidden,
    totalTokenCount: input + visible + hidden,
  });
  return told === undefined ? {} : { usageMetadata: told };
};

const chunk = ({ id, model }: Telling, part: Json, end: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...end }],
  modelVersion: model,
  responseId: id,
});

/** A call comes whole, whatever is written of it. */
const PARTS: Record<Telling["habit"]["as"], (text: string) => Json> = {
  text: (text) => ({ text }),
  tool: (text) => ({ functionCall: { name: "write", args: { text } } }),
  thoughts: (text) => ({ text, thought: true }),
  names: (name) => ({ functionCall: { name, args: {} } }),
  unlisted: (code) => ({ executableCode: { language: "PYTHON", code } }),
};

/** As Google does: no beginning and no end but a reason in the last event, and the usage so far in each. */
export const GEMINI: Writer = {
  format: "gemini",
  event: (_telling, event) => data(event),
  opening: () => "",
  begin: () => "",
  words: (telling, text, _choice, counts) =>
    data({ ...chunk(telling, PARTS[telling.habit.as](text)), ...usage(telling, counts) }),
  closing: (telling, counts) =>
    telling.habit.abrupt
      ? ""
      : data({ ...chunk(telling, { text: "" }, { finishReason: "STOP" }), ...usage(telling, counts) }),
  failure: (_telling, how) =>
    data({ error: { code: how === "overloaded" ? 503 : 500, message: how, status: "UNAVAILABLE" } }),
  whole: (telling, counts, text) => ({
    ...chunk(telling, { text }, { finishReason: "STOP" }),
    ...usage(telling, counts),
  }),
};
