import { type Block, textOf } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import type { Lane } from "../plan/lanes.ts";
import { emptyItem, type Event, isShown, itemIdOf, outputItem, partOf } from "./response-item.ts";

/** How the events of a block's text are called, and where in its item they belong. */
type Wording = { text: string; part: string | null; within: JsonObject };

const WORDINGS: Record<Block["kind"], Wording> = {
  text: { text: "output_text", part: "content_part", within: { content_index: 0 } },
  refusal: { text: "refusal", part: "content_part", within: { content_index: 0 } },
  thinking: { text: "reasoning_summary_text", part: "reasoning_summary_part", within: { summary_index: 0 } },
  call: { text: "function_call_arguments", part: null, within: {} },
  search: { text: "web_search_call", part: null, within: {} },
};

export function beginningOf(generation: Generation, block: Block, place: number): Event[] {
  const { part } = WORDINGS[block.kind];
  const item = emptyItem(generation, block, place);
  const added: Event = { type: "response.output_item.added", output_index: place, item };
  if (block.kind === "search")
    return [added, ...["in_progress", "searching"].map((state) => searchEvent(generation, block, { place, state }))];
  if (part === null || !isShown(generation, block)) return [added];
  return [added, { type: `response.${part}.added`, ...placeOf(generation, block, place), part: partOf(block, "") }];
}

/** What stands around each token; the number of its event comes last. */
export function laneOf(generation: Generation, block: Block, place: number): Lane {
  const type = `response.${WORDINGS[block.kind].text}.delta`;
  const at = JSON.stringify(placeOf(generation, block, place)).slice(1, -1);
  return {
    before: `event: ${type}\ndata: {"type":"${type}",${at},"delta":"`,
    content: block.content,
    after: `"${block.kind === "text" ? ',"logprobs":[]' : ""},"sequence_number":`,
  };
}

export function endOf(generation: Generation, block: Block, place: number): Event[] {
  const item = outputItem(generation, block, place);
  const done: Event = { type: "response.output_item.done", output_index: place, item };
  if (block.kind === "search") return [searchEvent(generation, block, { place, state: "completed" }), done];
  if (!isShown(generation, block)) return [done];
  const { text: name, part } = WORDINGS[block.kind];
  const at = placeOf(generation, block, place);
  const text = textOf(block);
  const said: Event = { type: `response.${name}.done`, ...at, ...wholeText(block, text) };
  return part === null
    ? [said, done]
    : [said, { type: `response.${part}.done`, ...at, part: partOf(block, text) }, done];
}

function searchEvent(generation: Generation, block: Block, { place, state }: { place: number; state: string }): Event {
  return { type: `response.web_search_call.${state}`, ...placeOf(generation, block, place) };
}

function wholeText({ kind }: Block, text: string): JsonObject {
  if (kind === "call") return { arguments: text };
  if (kind === "refusal") return { refusal: text };
  return kind === "text" ? { text, logprobs: [] } : { text };
}

const placeOf = (generation: Generation, block: Block, place: number): JsonObject => ({
  item_id: itemIdOf(generation, block, place),
  output_index: place,
  ...WORDINGS[block.kind].within,
});
