import type { Json } from "../../core/bytes/json.ts";
import { textOrNull } from "../form/read-json.ts";
import type { Block } from "../form/request-form.ts";

/** Thinking as it goes back to its provider; nothing of another's, and nothing that nobody signed, which is refused. */
export function thoughtPart({ text, native }: Extract<Block, { kind: "thinking" }>): Json[] {
  if (native?.dialect !== "converse") return [];
  const redacted = textOrNull(native.value["redacted"]);
  if (redacted !== null) return [{ reasoningContent: { redactedContent: redacted } }];
  const signature = textOrNull(native.value["signature"]);
  return signature === null ? [] : [{ reasoningContent: { reasoningText: { text, signature } } }];
}
