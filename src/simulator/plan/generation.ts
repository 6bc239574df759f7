import { type Block, type ProviderRun, textOf, tokensOf } from "./block.ts";
import { filler, wordContent } from "./content.ts";
import type { Ask, Dialect, Generation } from "../dialect.ts";
import { planGroups } from "./plan-groups.ts";
import { inputRead } from "./provider-run.ts";
import type { Script } from "./script.ts";
import { reportUsage } from "./usage-report.ts";

type Plan = { ask: Ask; script: Script; id: string; nowMs: number };

export function planGeneration({ ask, script, id, nowMs }: Plan): Generation {
  const { groups, stop } = planGroups(script, ask);
  const tokens = groups.reduce((sum, group) => sum + tokensOf(group), 0);
  const secret = Math.min(script.secretTokens, ask.limitTokens ?? script.secretTokens);
  const thoughts = groups.flat().filter(({ kind }) => kind === "thinking");
  const runs = groups.flat().filter((block) => block.kind === "search" && block.whole) as ProviderRun[];
  const prompt = script.inputTokens ?? promptTokens(ask);
  return {
    id,
    ask,
    createdAtSeconds: Math.floor(nowMs / 1000),
    tokens,
    groups,
    stop,
    served: { tier: script.tier ?? tierAsked(ask), region: script.region },
    usage: reportUsage(script.usage, {
      promptTokens: prompt,
      inputTokens: inputRead(prompt, runs),
      searches: countOf(runs, "search"),
      pages: countOf(runs, "page"),
      outputTokens: (tokens + secret) * ask.choices,
      cachedTokens: script.cachedTokens,
      billedTicks: script.billedTicks,
      thoughtTokens: (tokensOf(thoughts) + secret) * ask.choices,
    }),
  };
}

/** What was not let run is not billed. */
const countOf = (runs: readonly ProviderRun[], action: ProviderRun["action"]): number =>
  runs.filter((run) => run.action === action && run.found !== null).length;

/** What is not named is served as to everybody. */
function tierAsked({ body }: Ask): string | null {
  const asked = body["speed"] ?? body["service_tier"];
  return typeof asked === "string" && !["auto", "default", "standard", "standard_only"].includes(asked) ? asked : null;
}

/** As an answer names it; undefined where it is told to name none. */
export const tierNamed = ({ served: { tier } }: Generation, ordinary: string): string | undefined =>
  tier === "none" ? undefined : (tier ?? ordinary);

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
