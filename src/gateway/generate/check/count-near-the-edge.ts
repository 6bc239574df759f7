import type { Model } from "../../../catalogue/model.ts";
import type { Amounts } from "../../../core/money/amount.ts";
import type { InputEstimate } from "../../../core/request/input-estimate.ts";
import { vocabularyOf } from "../../../core/request/vocabulary.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";
import type { Paperwork } from "../../paperwork.ts";

/** A text has about four bytes to a token, so that this much less is what counting may save. */
const BOUND_PER_COUNT = 4;
/** Counting takes up to two milliseconds for a thousand of these, and nothing is paid for it. */
export const MOST_COUNTED_BYTES = 524_288;

type Refused = {
  request: GenerationRequest;
  model: Model;
  input: InputEstimate;
  available: Amounts;
  /** What it would need at least if its input came to this. */
  leastWith: (input: InputEstimate) => Amounts;
};

/** `floor`: what it needs whatever its texts come to, which is more than there is. Nothing was counted then. */
export type Edge = { counted: InputEstimate } | { floor: Amounts };

/**
 * The input of a request that was refused at its bound by bytes, with its texts counted: nobody is refused with several prompts' worth
 * left, and what a refusal says is near the truth. Null: it would change nothing, or there is no time for it.
 */
export async function countNearTheEdge(
  paperwork: Pick<Paperwork, "savedByCounting">,
  { request, model, input, available, leastWith }: Refused,
): Promise<Edge | null> {
  if (request.bytes.length > MOST_COUNTED_BYTES) return null;
  const least = leastWith({ ...input, most: Math.ceil(input.most / BOUND_PER_COUNT) });
  if (isMore(least.credits, available.credits) || isMore(least.tokens, available.tokens)) return { floor: least };
  const saved = await paperwork.savedByCounting(request, vocabularyOf(model)).catch(() => 0);
  return saved > 0 ? { counted: { ...input, most: input.most - saved } } : null;
}

/** In a unit that counts. */
const isMore = (needed: bigint | null, has: bigint | null): boolean => needed !== null && has !== null && needed > has;
