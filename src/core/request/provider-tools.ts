import type { RouteFormat } from "./dialect.ts";
import { modelNameIn } from "./media-tokens.ts";

/** A tool that a provider runs while it answers, as prices call it. */
export type ProviderTool = "web_search" | "web_fetch";

/** One that a request asks for: where it stands in the body, and how often the caller lets it run at most; null: it does not say. */
export type AskedTool = {
  name: ProviderTool;
  at: string;
  most: number | null;
  /** It runs just so often, and cannot be told otherwise. */
  always?: true;
};

/** What a request may come to by such tools. */
export type ProviderCalls = {
  tools: readonly ProviderTool[];
  /** How often they run, all together. */
  most: number;
  /** What each brings into the input, in tokens; null: whatever the window holds. */
  tokensEach: number | null;
};

/** How often each tool may run where nobody says less; as often as Claude Code asks for. */
const MOST_CALLS = 8;
const LARGEST_CAP = 1_000;

/**
 * What a search or a page brings, by the names that providers give their models; the first that fits. Nobody publishes a bound, so this is
 * twice what ten results were seen to bring, and twice what one provider bills as a fixed amount. A model of no family is held for its window.
 */
const FAMILIES: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^claude-/, 25_000],
  [/^(?:gpt-|chatgpt-|o\d|grok-)/, 16_000],
  // What Google finds is not billed as input; what its model asks for is.
  [/^gemini-/, 2_000],
];

/** A model, as far as this goes. */
type Shown = {
  capabilities: Readonly<Record<string, unknown>>;
  routes: readonly { upstreamModel: string; dialect?: RouteFormat }[];
};

/** Google's models search as often as they like: no request can tell them how often they may. */
export const takesCaps = ({ dialect }: { dialect?: RouteFormat }): boolean => dialect !== "gemini";

/** By the operator's own word (`search_calls` and `search_tokens` of its capabilities), else by what is known. */
export const mostCallsOf = ({ capabilities }: Pick<Shown, "capabilities">): number =>
  Math.min(wholeNumber(capabilities["search_calls"]) ?? MOST_CALLS, LARGEST_CAP);

export function tokensOfCall({ capabilities, routes }: Shown): number | null {
  const said = wholeNumber(capabilities["search_tokens"]);
  if (said !== null) return said;
  const known = routes.map(({ upstreamModel }) => familyOf(modelNameIn(upstreamModel)));
  return known.reduce((most, each) => (most === null || each === null ? null : Math.max(most, each)), known[0] ?? null);
}

const familyOf = (name: string): number | null => FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;

const wholeNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;

/** How often one tool is let run: the caller's own cap, if it is the lower. */
export const capOf = ({ most, always }: Pick<AskedTool, "most" | "always">, mostCalls: number): number =>
  most !== null && always ? most : Math.min(most ?? mostCalls, mostCalls);

/** Null: no such tool is asked for. */
export function providerCallsOf(asked: readonly AskedTool[] | undefined, model: Shown): ProviderCalls | null {
  if (asked === undefined || asked.length === 0) return null;
  const mostCalls = mostCallsOf(model);
  return {
    tools: [...new Set(asked.map(({ name }) => name))],
    most: asked.reduce((sum, tool) => sum + (model.routes.every(takesCaps) ? capOf(tool, mostCalls) : mostCalls), 0),
    tokensEach: tokensOfCall(model),
  };
}

/** Of a model that does not say what its window holds: more than any published one. */
export const LARGEST_WINDOW = 2_000_000;

type Read = { prompt: number; output: number; contextWindow: number | null };

/**
 * The most input that is billed where tools are run. After every call the model reads again: the prompt, what it has written, and what all
 * calls so far have brought, never more than its window. Calls that are made at once are read at once, so that this holds for them too.
 */
export function mostInputRead({ prompt, output, contextWindow }: Read, { most, tokensEach }: ProviderCalls): number {
  const window = contextWindow ?? LARGEST_WINDOW;
  let sum = prompt;
  for (let call = 1; call <= most; call++)
    sum += tokensEach === null ? window : Math.min(window, prompt + output + call * tokensEach);
  return sum;
}
