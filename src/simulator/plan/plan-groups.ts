import { type Block, type Group, type Stop, tokensOf } from "./block.ts";
import {
  type Content,
  givenContent,
  refusalContent,
  sizedContent,
  thoughtContent,
  toolContent,
  wordContent,
} from "./content.ts";
import type { Ask } from "../dialect.ts";
import { plannedRuns } from "./provider-run.ts";
import { answerFitting } from "./schema-answer.ts";
import type { Script } from "./script.ts";
import { metSequence } from "./stop-sequence.ts";

type Plan = { groups: readonly Group[]; stop: Stop };

/** What an answer consists of: thoughts, words, calls, as far as the caller's limit and stop sequences let it. */
export function planGroups(script: Script, ask: Ask): Plan {
  const { thinkingTokens, thoughts } = script;
  const thinking = {
    kind: "thinking",
    thoughts,
    tokens: thinkingTokens,
    content: thoughtContent,
    whole: true,
  } as const;
  const { groups, stop } = planAnswer(script, ask);
  const runs = plannedRuns(script, ask.body).map((run) => [run]);
  const all = [...(thinkingTokens === 0 ? [] : [[thinking]]), ...runs, ...groups];
  const cut = ask.limitTokens === null ? all : within(all, Math.max(0, ask.limitTokens - script.secretTokens));
  return { groups: cut, stop: cut === all ? stop : { reason: "length", sequence: null } };
}

function planAnswer(script: Script, ask: Ask): Plan {
  const { tokens, wordTokens, interleaved } = script;
  const names = script.tools.length > 0 ? script.tools : script.tool === null ? [] : [script.tool];
  if (names.length > 0) {
    const calls = names.map((name, number) => callOf(script, name, number));
    const words: Group[] = wordTokens === 0 ? [] : [[textBlock(wordContent, wordTokens)]];
    return {
      groups: [...words, ...(interleaved ? [calls] : calls.map((call) => [call]))],
      stop: { reason: "tool", sequence: null },
    };
  }
  if (script.refused) {
    const block: Block = { kind: "refusal", tokens, content: refusalContent, whole: true };
    return { groups: [[block]], stop: { reason: "refused", sequence: null } };
  }
  const content = wordsOf(script, ask);
  const met = ask.stop.length === 0 ? null : metSequence(content, tokens, ask.stop);
  if (met === null) return { groups: [[textBlock(content, tokens)]], stop: { reason: "end", sequence: null } };
  return { groups: [[textBlock(met.content, met.tokens)]], stop: { reason: "sequence", sequence: met.sequence } };
}

const textBlock = (content: Content, tokens: number): Block => ({ kind: "text", tokens, content, whole: true });

function callOf({ tokens, toolArguments }: Script, name: string, number: number): Block {
  const content = toolArguments === null ? toolContent(tokens) : givenContent(toolArguments, tokens);
  return { kind: "call", name, number, tokens, content, whole: true };
}

function wordsOf({ answerBytes, tokens }: Script, { schema }: Ask): Content {
  if (answerBytes !== null) return sizedContent(answerBytes, tokens);
  return schema === null ? wordContent : givenContent(answerFitting(schema), tokens);
}

/** The same groups when all of them fit; else those that do, the last of them cut short. */
function within(groups: readonly Group[], limitTokens: number): readonly Group[] {
  let left = limitTokens;
  for (const [index, group] of groups.entries()) {
    const tokens = tokensOf(group);
    if (tokens > left) return [...groups.slice(0, index), ...(left === 0 ? [] : [shortened(group, left)])];
    left -= tokens;
  }
  return groups;
}

/** Blocks side by side have had their turns in order, so the first of them are a token ahead. */
function shortened(group: Group, tokens: number): Group {
  const share = (place: number) => Math.ceil((tokens - place) / group.length);
  return group
    .map((block, place) => ({ ...block, tokens: share(place), whole: share(place) === block.tokens }))
    .filter((block) => block.tokens > 0);
}
