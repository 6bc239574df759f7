import { type Block, type Stop, textOf } from "../plan/block.ts";
import type { Content } from "../plan/content.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { blocksOf } from "../plan/generation.ts";
import type { Lane } from "../plan/lanes.ts";
import { seal, sign } from "../plan/proof.ts";

export const REASONS: Record<Stop["reason"], string> = {
  end: "stop",
  sequence: "stop",
  refused: "stop",
  length: "length",
  tool: "tool_calls",
};

/** Providers that pass on another's thoughts say whose they are. */
const DETAIL = { format: "simulator-v1", index: 0 };

/** What stands around each token of a block, within the braces of its delta. */
export function wrapping(block: Block): Lane {
  const { content } = block;
  switch (block.kind) {
    case "text":
    case "search":
      return { before: '{"content":"', content, after: '"}' };
    case "refusal":
      return { before: '{"refusal":"', content, after: '"}' };
    case "call":
      return {
        before: `{"tool_calls":[{"index":${block.number},"function":{"arguments":"`,
        content,
        after: '"}}]}',
      };
    case "thinking":
      if (block.thoughts === "shown") return { before: '{"content":null,"reasoning_content":"', content, after: '"}' };
      return {
        before: '{"content":"","reasoning":"',
        content: saidTwice(content, '","reasoning_details":[{"type":"reasoning.text","text":"'),
        after: `",${JSON.stringify(DETAIL).slice(1)}]}`,
      };
    default:
      return block satisfies never;
  }
}

/** The delta a block begins with; null when its first token does that. */
export function headDelta(block: Block, callId: string): JsonObject | null {
  if (block.kind !== "call") return null;
  const named = { name: block.name, arguments: "" };
  return { tool_calls: [{ index: block.number, id: callId, type: "function", function: named }] };
}

/** The delta a block ends with: what is wanted back with thoughts, where this dialect has a place for it. */
export function proofDelta(block: Block, generation: Generation): JsonObject | null {
  if (block.kind !== "thinking" || block.thoughts === "shown") return null;
  if (block.thoughts === "hidden") return { content: "", reasoning_details: detailsOf(block, generation) };
  const detail = { type: "reasoning.text", signature: sign("signature", textOf(block)), ...DETAIL };
  return { content: "", reasoning: null, reasoning_details: [detail] };
}

export function callIdOf({ id }: Generation, block: Block, choice: number): string {
  const number = block.kind === "call" && block.number > 0 ? `_${block.number}` : "";
  return `call_${id}${choice}${number}`;
}

export function wholeMessage(generation: Generation, choice: number): JsonObject {
  const blocks = blocksOf(generation);
  const textOfKind = (kind: Block["kind"]) => {
    const found = blocks.find((block) => block.kind === kind);
    return found === undefined ? null : textOf(found);
  };
  const calls = blocks.flatMap((block) => {
    if (block.kind !== "call") return [];
    const named = { name: block.name, arguments: textOf(block) };
    return [{ id: callIdOf(generation, block, choice), type: "function", function: named }];
  });
  return {
    role: "assistant",
    content: textOfKind("text"),
    ...wholeThoughts(generation),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: textOfKind("refusal"),
    annotations: [],
  };
}

function wholeThoughts(generation: Generation): JsonObject {
  const block = blocksOf(generation).find(({ kind }) => kind === "thinking");
  if (block?.kind !== "thinking") return {};
  if (block.thoughts === "shown") return { reasoning_content: textOf(block) };
  const details = { reasoning_details: detailsOf(block, generation) };
  return block.thoughts === "hidden" ? details : { reasoning: textOf(block), ...details };
}

function detailsOf(block: Extract<Block, { kind: "thinking" }>, { id }: Generation): JsonObject[] {
  if (block.thoughts === "hidden") return [{ type: "reasoning.encrypted", data: seal("redacted", id), ...DETAIL }];
  const text = textOf(block);
  return [{ type: "reasoning.text", text, signature: sign("signature", text), ...DETAIL }];
}

function saidTwice(content: Content, between: string): Content {
  return {
    ...content,
    escapedPiece: (index) => {
      const piece = content.escapedPiece(index);
      return piece + between + piece;
    },
  };
}
