import { isObject } from "../../core/bytes/is-object.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { billedSaid, isCount } from "../token-count.ts";

/** What a provider counts of the input; null: it does not say, or cannot mean it. Vectors are no tokens, so there is no output. */
export function readEmbeddingsUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const inputTokens = usage["prompt_tokens"] ?? usage["total_tokens"];
  if (!isCount(inputTokens)) return null;
  return { ...NO_USAGE, inputTokens, ...billedSaid(usage) };
}
