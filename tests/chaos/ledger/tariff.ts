import type { Tokens } from "./evidence.ts";

/** What every model of the stage costs, in nano-credits a token: one credit and four credits a million. */
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;

/** As the catalogue of the stage says it. */
export const CATALOGUE_PRICE = { input: "1", output: "4" };

/** The price of a usage in the unit of a key. */
export function priceOf(unit: "credit" | "tokens", { inputTokens, outputTokens }: Tokens): bigint {
  if (unit === "tokens") return BigInt(inputTokens) + BigInt(outputTokens);
  return BigInt(inputTokens) * INPUT_NANO + BigInt(outputTokens) * OUTPUT_NANO;
}
