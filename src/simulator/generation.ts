import { type Content, filler, givenContent, sizedContent, toolContent, wordContent } from "./content.ts";
import type { Ask, Dialect, Generation } from "./dialect.ts";
import type { Script } from "./script.ts";
import { reportUsage } from "./usage-report.ts";

type Plan = { ask: Ask; script: Script; id: string; nowMs: number };

export function planGeneration({ ask, script, id, nowMs }: Plan): Generation {
  const limit = ask.limitTokens ?? Number.POSITIVE_INFINITY;
  const tokens = Math.min(script.tokens, limit);
  return {
    id,
    ask,
    createdAtSeconds: Math.floor(nowMs / 1000),
    tokens,
    truncated: script.tokens > limit,
    content: contentOf(script),
    tool: script.tool,
    usage: reportUsage(script.usage, {
      inputTokens: script.inputTokens ?? promptTokens(ask),
      outputTokens: tokens * ask.choices,
      cachedTokens: script.cachedTokens,
    }),
  };
}

/** A fixed estimate, so that a test can say what the provider will have counted. */
export function promptTokens({ prompt }: Ask): number {
  let bytes = 0;
  for (const part of prompt) if (part !== undefined && part !== null) bytes += Buffer.byteLength(JSON.stringify(part));
  return Math.ceil(bytes / 4);
}

/** The plain answer padded to exactly so many bytes, or the shortest the dialect can say. */
export function answerOfBytes(dialect: Dialect, generation: Generation, bytes: number): string {
  const say = (text: string) =>
    dialect.answer({ ...generation, tool: null, content: { ...wordContent, text: () => text } });
  const room = bytes - Buffer.byteLength(say(""));
  return say(filler(0, Math.max(0, Math.floor(room / generation.ask.choices))));
}

function contentOf(script: Script): Content {
  if (script.tool !== null) {
    return script.toolArguments === null
      ? toolContent(script.tokens)
      : givenContent(script.toolArguments, script.tokens);
  }
  return script.answerBytes === null ? wordContent : sizedContent(script.answerBytes, script.tokens);
}
