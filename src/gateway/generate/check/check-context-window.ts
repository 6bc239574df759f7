import { Fault } from "../../../core/fault.ts";
import type { InputEstimate } from "../../../core/request/input-estimate.ts";

/** Vocabularies differ: a model's own may make a fifth less of a text than the one we count with. */
const SMALLEST_SHARE = 0.8;

type Judged = {
  input: InputEstimate;
  model: { id: string; contextWindow: number | null; tokenFactor: number };
};

/** Whether an input may be more than the model reads, so that it has to be counted. */
export const mayExceedWindow = ({ input, model: { contextWindow, tokenFactor } }: Judged): boolean =>
  contextWindow !== null && input.likely * tokenFactor > contextWindow;

/**
 * Refuses what certainly does not fit. Where the estimate exceeds the window the text is counted, a long one by sample, and it is
 * refused when even a kinder vocabulary would make too much of it; anything closer is for the provider to say. [interface decision 15]
 */
export async function checkContextWindow(judged: Judged, countText: () => Promise<number>): Promise<void> {
  const { id, contextWindow, tokenFactor } = judged.model;
  if (contextWindow === null || !mayExceedWindow(judged)) return;
  const tokens = Math.ceil((await countText()) * tokenFactor);
  if (tokens * SMALLEST_SHARE <= contextWindow) return;
  throw new Fault(
    "context_length_exceeded",
    `Input is about ${tokens.toLocaleString("en-US")} tokens; ${id} accepts at most ${contextWindow.toLocaleString("en-US")}. Shorten the input.`,
  );
}
