import { isObject } from "../../core/bytes/is-object.ts";
import { GROUNDED_PROMPT, NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import { isCount, share, sharesOf } from "../token-count.ts";
import { servedSaid, tierSaid } from "../usage/said-served.ts";

/**
 * A provider's usage, or null when it is missing or cannot be true. This format counts cached tokens within the prompt, as we do,
 * but thoughts beside the candidates, and what its own tools found beside the prompt. A count of 0 is left out. `searches`: as `searchesIn`
 * counts them.
 */
export function readGeminiUsage(given: unknown, searches = 0): Usage | null {
  if (!isObject(given) || !tellsOfInput(given)) return null;
  const prompt = given["promptTokenCount"] ?? 0;
  const found = given["toolUsePromptTokenCount"] ?? 0;
  const candidates = given["candidatesTokenCount"] ?? 0;
  const thoughts = given["thoughtsTokenCount"] ?? 0;
  if (!isCount(prompt) || !isCount(found) || !isCount(candidates) || !isCount(thoughts)) return null;
  const inputTokens = prompt + found;
  const outputTokens = candidates + thoughts;
  const cacheReadTokens = share(given["cachedContentTokenCount"], inputTokens);
  const [asked, cached, said] = ["promptTokensDetails", "cacheTokensDetails", "candidatesTokensDetails"].map((name) =>
    byModality(given[name]),
  );
  const fresh = (modality: string): number => Math.max(0, (asked?.[modality] ?? 0) - (cached?.[modality] ?? 0));
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: thoughts,
    toolCalls: searches === 0 ? NO_TOOL_CALLS : { web_search: searches, [GROUNDED_PROMPT]: 1 },
    ...sharesOf(
      [
        inputTokens - cacheReadTokens,
        { input_audio: fresh("AUDIO"), input_image: fresh("IMAGE"), input_video: fresh("VIDEO") },
      ],
      [cacheReadTokens, { cache_read_audio: cached?.["AUDIO"] }],
      [candidates, { output_audio: said?.["AUDIO"], output_image: said?.["IMAGE"] }],
    ),
    ...servedSaid(tierSaid(given["trafficType"])),
  };
}

/**
 * Queries that an answer was grounded on, empty ones left out, which are free. What was found without a query that is told was one. Of a
 * stream, each chunk says all that it knows, so that the largest counts.
 */
export function searchesIn(candidate: Readonly<Record<string, unknown>>): number {
  const grounding = candidate["groundingMetadata"];
  if (!isObject(grounding)) return 0;
  const queries = grounding["webSearchQueries"];
  const asked = Array.isArray(queries) ? queries.slice(0, MOST_SEARCHES).filter((query) => query !== "").length : 0;
  const found = grounding["groundingChunks"];
  return Math.max(asked, Array.isArray(found) && found.length > 0 ? 1 : 0);
}

const MOST_SEARCHES = 1_000;

/** `[{ modality: "AUDIO", tokenCount: 12 }]`. */
function byModality(details: unknown): Record<string, number> {
  if (!Array.isArray(details)) return {};
  const counts: Record<string, number> = {};
  for (const one of details.slice(0, MOST_DETAILS)) {
    if (!isObject(one) || typeof one["modality"] !== "string" || !isCount(one["tokenCount"])) continue;
    counts[one["modality"]] = (counts[one["modality"]] ?? 0) + one["tokenCount"];
  }
  return counts;
}

const MOST_DETAILS = 20;

/** Some events of a stream tell under the same name how the request was billed, and nothing of tokens. */
export const tellsOfInput = (given: Readonly<Record<string, unknown>>): boolean =>
  given["promptTokenCount"] !== undefined || given["totalTokenCount"] !== undefined;
