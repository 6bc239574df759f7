/** Credit is counted in nano-credits, always as a bigint. */
export type NanoCredits = bigint;

const NANO = 1_000_000_000n;
const DECIMAL = /^(\d{1,12})(?:\.(\d{1,9}))?$/;

/** Reads a decimal such as `2.50` exactly; null when it is not one, or is finer than a nano-credit. */
export function parseCredits(text: string): NanoCredits | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  return BigInt(match[1] ?? "0") * NANO + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/** Writes nano-credits as a decimal without trailing zeros. */
export function formatCredits(nano: NanoCredits): string {
  const magnitude = nano < 0n ? -nano : nano;
  const fraction = (magnitude % NANO).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nano < 0n ? "-" : ""}${magnitude / NANO}${fraction ? `.${fraction}` : ""}`;
}
