import type { Json } from "../../core/bytes/json.ts";
import { textOrNull } from "../form/read-json.ts";
import type { Block } from "../form/request-form.ts";

/**
 * What goes back with thinking: the signature that stood in the same answer, and the part it came with, which is the next call or
 * text, or none.
 */
export type ThoughtSeal = { part: "call" | "text" | "thought"; signature?: string };

const PARTS: readonly unknown[] = ["call", "text", "thought"] satisfies ThoughtSeal["part"][];

/** Null: another's thinking, or nothing that was sealed here. */
export function thoughtSealOf({ native }: Extract<Block, { kind: "thinking" }>): ThoughtSeal | null {
  if (native?.dialect !== "gemini") return null;
  const { part, signature }: Json = native.value;
  if (!PARTS.includes(part)) return null;
  const given = textOrNull(signature);
  return { part: part as ThoughtSeal["part"], ...(given !== null && { signature: given }) };
}
