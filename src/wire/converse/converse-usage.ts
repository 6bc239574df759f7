import { isObject } from "../../core/bytes/is-object.ts";
import { NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share } from "../token-count.ts";
import { servedSaid, tierSaid } from "../usage/said-served.ts";

type Json = Readonly<Record<string, unknown>>;

/** What must be known of an answer to read its usage: the name of its model at the provider, and whether it was streamed. */
export type ConverseAnswered = { model: string; streamed: boolean };

/**
 * The usage in a whole answer, or in the last event of a stream; null when it is missing or cannot be true. This format counts cached
 * tokens beside the input, ours within it, and says nothing of reasoning, which is within the output.
 */
export function readConverseUsage({ usage, serviceTier }: Json, answered: ConverseAnswered): Usage | null {
  if (!isObject(usage)) return null;
  const input = usage["inputTokens"];
  const output = usage["outputTokens"];
  const cacheRead = usage["cacheReadInputTokens"] ?? 0;
  const written = usage["cacheWriteInputTokens"] ?? 0;
  if (!isCount(input) || !isCount(output) || !isCount(cacheRead) || !isCount(written)) return null;
  const details = detailsIn(usage["cacheDetails"]);
  const cacheWrite = isToldTwice(written, details, answered) ? details.all : written;
  const cached = cacheRead + cacheWrite;
  return {
    inputTokens: isWhole({ input, cached }, answered) ? input : input + cached,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    cacheWrite1hTokens: share(details.hour, cacheWrite),
    reasoningTokens: 0,
    toolCalls: NO_TOOL_CALLS,
    ...servedSaid(tierSaid(isObject(serviceTier) ? serviceTier["type"] : undefined)),
  };
}

/** Streams of this family tell the whole input where others tell what is beside the cache, and a total that counts the cache twice. */
const OF_OPENAI = /(?:^|[./])openai\./;

const isWhole = (
  { input, cached }: { input: number; cached: number },
  { model, streamed }: ConverseAnswered,
): boolean => streamed && OF_OPENAI.test(model) && cached > 0 && input >= cached;

/**
 * Streams of models that reason have told twice what was written. What it was written for says so where it comes to exactly half; else
 * nothing does, and what is told is what Amazon bills.
 */
const isToldTwice = (written: number, { all }: Details, { streamed }: ConverseAnswered): boolean =>
  streamed && all > 0 && written === all * 2;

type Details = { all: number; hour: number };

/** `[{ ttl: "1h", inputTokens: 7000 }, { ttl: "5m", inputTokens: 262 }]` */
function detailsIn(given: unknown): Details {
  const details = { all: 0, hour: 0 };
  for (const one of Array.isArray(given) ? given.slice(0, MOST_DETAILS) : []) {
    if (!isObject(one) || !isCount(one["inputTokens"])) continue;
    details.all += one["inputTokens"];
    if (one["ttl"] === "1h") details.hour += one["inputTokens"];
  }
  return details;
}

const MOST_DETAILS = 20;
