import type { TextCounter } from "../../../src/tokens/count-tokens.ts";
import { isObject } from "../../../src/core/bytes/is-object.ts";
import type { Json } from "../formats.ts";

/** Members that are the model's input, in all formats. */
const INPUT = ["messages", "input", "instructions", "system", "contents", "systemInstruction", "tools"];
/** Members whose text is not shown to the model. */
const LABELS = new Set([
  "role",
  "thoughtSignature",
  "mimeType",
  "type",
  "id",
  "tool_call_id",
  "tool_use_id",
  "call_id",
  "detail",
  "media_type",
  "url",
  "image_url",
]);

/** The tokens of everything a model reads. Pictures and files are counted by the habit of the provider instead. */
export function countInput(body: Json, count: TextCounter): number {
  let tokens = 0;
  for (const name of INPUT) for (const text of texts(body[name])) tokens += count(text);
  return tokens;
}

function* texts(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const member of value) yield* texts(member);
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) if (!LABELS.has(name)) yield* texts(member);
  }
}
