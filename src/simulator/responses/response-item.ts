import { isObject } from "../../core/bytes/is-object.ts";
import { type Block, textOf } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { seal } from "../plan/proof.ts";

export type Event = { type: string } & JsonObject;

const PREFIXES: Record<Block["kind"], string> = {
  text: "msg",
  refusal: "msg",
  thinking: "rs",
  call: "fc",
  search: "ws",
};

export function itemIdOf({ id }: Generation, block: Block, place: number): string {
  return `${PREFIXES[block.kind]}_${id}${place === 0 ? "" : `_${place}`}`;
}

/** A block as an item of the output, ended. Its place in the output is the block's. */
export function outputItem(generation: Generation, block: Block, place: number): JsonObject {
  const id = itemIdOf(generation, block, place);
  const status = block.whole ? "completed" : "incomplete";
  switch (block.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", status, content: [partOf(block, textOf(block))], role: "assistant" };
    case "thinking":
      return { id, type: "reasoning", ...encrypted(generation, id), summary: summaryOf(generation, block) };
    case "call":
      return {
        id,
        type: "function_call",
        status,
        arguments: textOf(block),
        call_id: callId(generation, block),
        name: block.name,
      };
    case "search": {
      const { query } = block.whole ? (JSON.parse(textOf(block)) as { query: string }) : { query: "" };
      const url = "https://example.com/found";
      const action =
        block.action === "search" ? { type: "search", query, queries: [query] } : { type: "open_page", url };
      return { id, type: "web_search_call", status, action };
    }
    default:
      return block satisfies never;
  }
}

/** The same item as it is when it begins. */
export function emptyItem(generation: Generation, block: Block, place: number): JsonObject {
  const id = itemIdOf(generation, block, place);
  const status = "in_progress";
  switch (block.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", status, content: [], role: "assistant" };
    case "thinking":
      return { id, type: "reasoning", summary: [] };
    case "call":
      return { id, type: "function_call", status, arguments: "", call_id: callId(generation, block), name: block.name };
    case "search":
      return { id, type: "web_search_call", status };
    default:
      return block satisfies never;
  }
}

export function partOf({ kind }: Block, text: string): JsonObject {
  if (kind === "refusal") return { type: "refusal", refusal: text };
  if (kind === "thinking") return { type: "summary_text", text };
  return { type: "output_text", annotations: [], logprobs: [], text };
}

/** Thoughts are summed up for those who ask for it. */
export function isShown({ ask }: Generation, block: Block): boolean {
  // A query comes with the end of its item.
  if (block.kind !== "thinking") return block.kind !== "search";
  const { reasoning } = ask.body;
  return block.thoughts !== "hidden" && isObject(reasoning) && typeof reasoning["summary"] === "string";
}

const summaryOf = (generation: Generation, block: Block): JsonObject[] =>
  isShown(generation, block) ? [partOf(block, textOf(block))] : [];

/** Without being asked for it a provider keeps its thoughts, and hands out no more than their name. */
function encrypted({ ask }: Generation, id: string): JsonObject {
  const { include } = ask.body;
  const wanted = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  return wanted ? { encrypted_content: seal("encrypted", id) } : {};
}

const callId = ({ id }: Generation, { number }: { number: number }): string =>
  `call_${id}${number === 0 ? "" : `_${number}`}`;
