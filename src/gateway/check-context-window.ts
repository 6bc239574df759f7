import { Fault } from "../core/fault.ts";
import type { InputEstimate } from "../tokens/estimate-input.ts";

/** How far the estimate may lie above the truth, in the script it judges worst. */
const LARGEST_OVERESTIMATE = 2.5;

/** Refuses what cannot fit however kindly it is counted. Anything else is for the provider to say. [decision 15] */
export function checkContextWindow(
  input: InputEstimate,
  { id, contextWindow }: { id: string; contextWindow: number | null },
): void {
  const least = Math.floor(input.likely / LARGEST_OVERESTIMATE);
  if (contextWindow === null || least <= contextWindow) return;
  throw new Fault(
    "context_length_exceeded",
    `This request has some ${input.likely} tokens of input, at least ${least}; ${id} takes ${contextWindow} in all. Send less.`,
  );
}
