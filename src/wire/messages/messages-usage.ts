import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share } from "../token-count.ts";
import { modelsSaid, regionSaid, servedSaid, speedSaid } from "../usage/said-served.ts";

type Given = Record<string, unknown>;

/**
 * A provider's usage object, or null when it is missing or cannot be true. This format counts cached tokens beside the
 * input, ours within it.
 */
export function readMessagesUsage(given: unknown): Usage | null {
  if (!isObject(given)) return null;
  const passes = passesOf(given) ?? passesOf({ ...given, iterations: null });
  if (passes === null) return null;
  const total = (name: keyof Pass): number => passes.reduce((sum, pass) => sum + pass[name], 0);
  const outputTokens = total("output");
  const cacheReadTokens = total("cacheRead");
  const cacheWriteTokens = total("cacheWrite");
  const details = isObject(given["output_tokens_details"]) ? given["output_tokens_details"] : {};
  return {
    inputTokens: total("fresh") + cacheReadTokens + cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: total("cacheWrite1h"),
    reasoningTokens: share(details["thinking_tokens"], outputTokens),
    toolCalls: toolCallsOf(given["server_tool_use"]),
    // `service_tier` names capacity that its owner has paid for apart, at these prices.
    ...servedSaid(speedSaid(given["speed"]), regionSaid(given["inference_geo"]), modelsSaid(modelsOf(given))),
  };
}

/** Figures in a stream are totals so far: a later one stands for an earlier, and what is not said again stays. */
export function mergeMessagesUsage(seen: Given, given: unknown): Given {
  if (!isObject(given)) return seen;
  const said = Object.entries(given).filter(([, value]) => value !== null);
  return { ...seen, ...Object.fromEntries(said) };
}

type Pass = { fresh: number; output: number; cacheRead: number; cacheWrite: number; cacheWrite1h: number };

/**
 * A request whose context is shortened on the way is more than one pass over it. Every pass is billed, while the figures
 * beside the list leave some of them out.
 */
function passesOf(given: Given): Pass[] | null {
  const listed = Array.isArray(given["iterations"]) && given["iterations"].length > 0 ? given["iterations"] : [given];
  const passes = listed.map((pass) => (isObject(pass) ? passOf(pass) : null));
  return passes.includes(null) ? null : (passes as Pass[]);
}

/** A pass over the request may be another model's, such as one that is asked for advice. */
const modelsOf = ({ iterations }: Given): unknown[] =>
  Array.isArray(iterations)
    ? iterations.slice(0, MOST_PASSES).map((pass) => (isObject(pass) ? pass["model"] : null))
    : [];

const MOST_PASSES = 100;

function passOf(given: Given): Pass | null {
  const fresh = given["input_tokens"];
  const output = given["output_tokens"];
  const cacheRead = given["cache_read_input_tokens"] ?? 0;
  const cacheWrite = given["cache_creation_input_tokens"] ?? 0;
  if (!isCount(fresh) || !isCount(output) || !isCount(cacheRead) || !isCount(cacheWrite)) return null;
  const written = isObject(given["cache_creation"]) ? given["cache_creation"] : {};
  return {
    fresh,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: share(written["ephemeral_1h_input_tokens"], cacheWrite),
  };
}

function toolCallsOf(given: unknown): Usage["toolCalls"] {
  if (!isObject(given)) return NO_TOOL_CALLS;
  const calls: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    const tool = /^(\w{1,64})_requests$/.exec(name)?.[1];
    if (tool !== undefined && isCount(value) && value > 0) calls[tool] = value;
  }
  return Object.keys(calls).length === 0 ? NO_TOOL_CALLS : calls;
}
