import { isObject } from "../../core/bytes/is-object.ts";
import { type Block, textOf } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { seal, sign } from "../plan/proof.ts";

/** What a delta begins with, up to its text. */
export const DELTAS: Record<Block["kind"], string> = {
  text: '{"type":"text_delta","text":"',
  refusal: '{"type":"text_delta","text":"',
  call: '{"type":"input_json_delta","partial_json":"',
  thinking: '{"type":"thinking_delta","thinking":"',
};

/** Thoughts may be asked for without their text: then there is a signature and nothing else. */
export function isShown({ ask }: Generation, block: Block): boolean {
  if (block.kind !== "thinking") return block.kind !== "refusal";
  const { thinking } = ask.body;
  return block.thoughts !== "hidden" && !(isObject(thinking) && thinking["display"] === "omitted");
}

export function emptyBlock({ id }: Generation, block: Block): JsonObject {
  switch (block.kind) {
    case "text":
    case "refusal":
      return { type: "text", text: "" };
    case "thinking":
      if (block.thoughts === "hidden") return { type: "redacted_thinking", data: seal("redacted", id) };
      return { type: "thinking", thinking: "", signature: "" };
    case "call": {
      const number = block.number === 0 ? "" : `_${block.number}`;
      return { type: "tool_use", id: `toolu_${id}${number}`, name: block.name, input: {} };
    }
    default:
      return block satisfies never;
  }
}

/** None for a refusal, which is told with the end of the message. */
export function wholeBlock(generation: Generation, block: Block): JsonObject[] {
  const empty = emptyBlock(generation, block);
  switch (block.kind) {
    case "refusal":
      return [];
    case "text":
      return [{ ...empty, text: textOf(block) }];
    case "call":
      return [{ ...empty, input: block.whole ? JSON.parse(textOf(block)) : {} }];
    case "thinking": {
      const thinking = shownText(generation, block);
      return [block.thoughts === "hidden" ? empty : { ...empty, thinking, signature: sign("signature", thinking) }];
    }
    default:
      return block satisfies never;
  }
}

/** The delta a block ends with; null for those that need none. */
export function proofDelta(generation: Generation, block: Block): JsonObject | null {
  if (block.kind !== "thinking" || block.thoughts === "hidden") return null;
  return { type: "signature_delta", signature: sign("signature", shownText(generation, block)) };
}

const shownText = (generation: Generation, block: Block): string => (isShown(generation, block) ? textOf(block) : "");
