import { type Block, textOf, tokensOf } from "./block.ts";
import { filler, wordContent } from "./content.ts";
import type { Ask, Dialect, Generation } from "../dialect.ts";
import { planGroups } from "./plan-groups.ts";
import type { Script } from "./script.ts";
import { reportUsage } from "./usage-report.ts";

type Plan = { ask: Ask; script: Script; id: string; nowMs: number };

export function planGeneration({ ask, script, id, nowMs }: Plan): Generation {
  const { groups, stop } = planGroups(script, ask);
  const tokens = groups.reduce((sum, group) => sum + tokensOf(group), 0);
  const secret = Math.min(script.secretTokens, ask.limitTokens ?? script.secretTokens);
  const thoughts = groups.flat().filter(({ kind }) => kind === "thinking");
  return {
    id,
    ask,
    createdAtSeconds: Math.floor(nowMs / 1000),
    tokens,
    groups,
    stop,
    usage: reportUsage(script.usage, {
      inputTokens: script.inputTokens ?? promptTokens(ask),
      outputTokens: (tokens + secret) * ask.choices,
      cachedTokens: script.cachedTokens,
      thoughtTokens: (tokensOf(thoughts) + secret) * ask.choices,
    }),
  };
}

/** The blocks in the order they begin. */
export const blocksOf = ({ groups }: Generation): readonly Block[] => groups.flat();

/** What has been said after so many tokens, for an answer whose blocks stand alone. */
export function saidAfter(generation: Generation, tokens: number): string {
  let left = tokens;
  let said = "";
  for (const block of blocksOf(generation)) {
    const some = Math.min(left, block.tokens);
    said += textOf({ ...block, tokens: some });
    left -= some;
  }
  return said;
}

/** A fixed estimate, so that a test can say what the provider will have counted. */
export function promptTokens({ prompt }: Ask): number {
  let bytes = 0;
  for (const part of prompt) if (part !== undefined && part !== null) bytes += Buffer.byteLength(JSON.stringify(part));
  return Math.ceil(bytes / 4);
}

/** The plain answer padded to exactly so many bytes, or the shortest the dialect can say. */
export function answerOfBytes(dialect: Dialect, generation: Generation, bytes: number): string {
  const { tokens } = generation;
  const say = (text: string) => {
    const content = { ...wordContent, text: () => text };
    return dialect.answer({ ...generation, groups: [[{ kind: "text", tokens, content, whole: true }]] });
  };
  const room = bytes - Buffer.byteLength(say(""));
  return say(filler(0, Math.max(0, Math.floor(room / generation.ask.choices))));
}
