import type { Block } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { blocksOf } from "../plan/generation.ts";

/** In this dialect thoughts are counted beside the candidates, and cached tokens inside the prompt. */
export function wholeUsage({ usage }: Generation): JsonObject {
  if (usage === null) return {};
  // What was found is not billed.
  const { promptTokens: inputTokens, outputTokens, totalTokens, cachedTokens, thoughtTokens } = usage;
  return {
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: without(outputTokens, thoughtTokens),
      totalTokenCount: totalTokens,
      ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
      ...(thoughtTokens > 0 && { thoughtsTokenCount: thoughtTokens }),
    },
  };
}

const without = (figure: number | string, share: number): number | string => {
  if (typeof figure === "string") return String(Number(figure) - share);
  return figure < 0 ? figure : figure - share;
};

/** Every event tells what was used until then: the member as text, after so many tokens of this block. */
export function usageSoFar(generation: Generation, block: Block | undefined): (tokens: number) => string {
  const { usage } = generation;
  if (usage === null) return () => "";
  const blocks = blocksOf(generation);
  const before = blocks.slice(0, block === undefined ? 0 : blocks.indexOf(block));
  const shown = before.reduce((sum, { kind, tokens }) => (kind === "thinking" ? sum : sum + tokens), 0);
  const thought = usage.thoughtTokens - (block?.kind === "thinking" ? block.tokens : 0);
  const input = JSON.stringify(usage.promptTokens);
  const inputCount = Number(usage.promptTokens);
  const cached = usage.cachedTokens > 0 ? `,"cachedContentTokenCount":${usage.cachedTokens}` : "";
  return (tokens) => {
    const thoughts = block?.kind === "thinking" ? thought + tokens : thought;
    const said = block?.kind === "thinking" ? shown : shown + tokens;
    const total = inputCount + thoughts + said;
    return `,"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${said},"totalTokenCount":${total}${cached}${thoughts > 0 ? `,"thoughtsTokenCount":${thoughts}` : ""}}`;
  };
}
