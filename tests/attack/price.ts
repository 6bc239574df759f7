import type { ProviderCall } from "./provider/habit.ts";

/** Credits per million tokens, as the catalogue of the stage lists them. */
export const PRICE = { input: "1", output: "4" };
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;

/** A token budget worth a credit of input. */
export const TOKENS_PER_CREDIT = 1_000_000n;

export const outputOf = ({ visibleTokens, hiddenTokens }: ProviderCall): number => visibleTokens + hiddenTokens;

/** What the provider's work costs at list, in nano-credits. */
export function listPrice(calls: readonly ProviderCall[]): bigint {
  return calls.reduce(
    (sum, call) => sum + BigInt(call.inputTokens) * INPUT_NANO + BigInt(outputOf(call)) * OUTPUT_NANO,
    0n,
  );
}

export const tokensOf = (calls: readonly ProviderCall[]): number =>
  calls.reduce((sum, call) => sum + call.inputTokens + outputOf(call), 0);
