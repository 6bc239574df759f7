import { isObject } from "../../core/bytes/is-object.ts";
import { type Block, textOf } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { filler } from "../plan/content.ts";
import { seal, sign } from "../plan/proof.ts";

/** What a delta begins with, up to its text. */
export const DELTAS: Record<Block["kind"], string> = {
  text: '{"type":"text_delta","text":"',
  refusal: '{"type":"text_delta","text":"',
  search: '{"type":"input_json_delta","partial_json":"',
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
    case "search":
      return { type: "server_tool_use", id: runIdOf(id, block), name: RUNS[block.action], input: {} };
    default:
      return block satisfies never;
  }
}

const RUNS = { search: "web_search", page: "web_fetch" } as const;
const runIdOf = (id: string, { number }: { number: number }): string => `srvtoolu_${id}_${number}`;

/** How many blocks of this dialect it is: what was found stands in one of its own. */
export const widthOf = ({ kind }: Block): number => (kind === "search" ? 2 : 1);

/** What a tool of the provider's own has found: four letters for a token. */
export function resultBlock({ id }: Generation, block: Extract<Block, { kind: "search" }>): JsonObject {
  const name = RUNS[block.action];
  return { type: `${name}_tool_result`, tool_use_id: runIdOf(id, block), content: foundBy(block) };
}

function foundBy({ action, found }: Extract<Block, { kind: "search" }>): unknown {
  if (found === null) return { type: `${RUNS[action]}_tool_result_error`, error_code: "max_uses_exceeded" };
  const url = "https://example.com/found";
  const holding = (letters: string): unknown =>
    action === "search"
      ? [{ type: "web_search_result", title: "Found", url, encrypted_content: letters, page_age: null }]
      : {
          type: "web_fetch_result",
          url,
          content: { type: "document", source: { type: "text", media_type: "text/plain", data: letters }, title: null },
          retrieved_at: null,
        };
  return holding(filler(0, Math.max(0, found * 4 - JSON.stringify(holding("")).length)));
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
    case "search":
      return [
        { ...empty, input: block.whole ? JSON.parse(textOf(block)) : {} },
        ...(block.whole ? [resultBlock(generation, block)] : []),
      ];
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
