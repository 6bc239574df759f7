import { Fault } from "../../core/fault.ts";
import type { InputEstimate } from "../../tokens/estimate-input.ts";

/** Vocabularies differ: a model's own may make a fifth less of a text than the one we count with. */
const SMALLEST_SHARE = 0.8;

type Judged = {
  input: InputEstimate;
  model: { id: string; contextWindow: number | null; tokenFactor: number };
  /** Counts the text of the input; a long one by sample. */
  countText: () => Promise<number>;
};

/**
 * Refuses what certainly does not fit. Where the estimate exceeds the window the text is counted, and it is refused when even a
 * kinder vocabulary would make too much of it; anything closer is for the provider to say. [interface decision 15]
 */
export async function checkContextWindow({ input, model, countText }: Judged): Promise<void> {
  const { id, contextWindow, tokenFactor } = model;
  if (contextWindow === null || input.likely * tokenFactor <= contextWindow) return;
  const tokens = Math.ceil((await countText()) * tokenFactor);
  if (tokens * SMALLEST_SHARE <= contextWindow) return;
  throw new Fault(
    "context_length_exceeded",
    `Input is about ${tokens.toLocaleString("en-US")} tokens; ${id} accepts at most ${contextWindow.toLocaleString("en-US")}. Shorten the input.`,
  );
}
