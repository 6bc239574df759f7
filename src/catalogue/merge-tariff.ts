import type { Tariff } from "../core/price.ts";
import type { DescribedPrice, BookedPrice, TariffParts } from "./model.ts";

/** A tariff with some parts changed; null when there was none and the parts do not make one. */
export function mergeTariff(before: Tariff | null, parts: TariffParts): Tariff | null {
  const { toolCallNano, ...tokens } = parts;
  const { inputNano, outputNano } = { ...before, ...tokens };
  if (inputNano === undefined || outputNano === undefined) return null;
  const tools = Object.entries({ ...before?.toolCallNano, ...toolCallNano });
  const pick = (part: "cacheReadNano" | "cacheWrite5mNano" | "cacheWrite1hNano"): bigint | null =>
    tokens[part] === undefined ? (before?.[part] ?? null) : tokens[part];
  return {
    inputNano,
    outputNano,
    cacheReadNano: pick("cacheReadNano"),
    cacheWrite5mNano: pick("cacheWrite5mNano"),
    cacheWrite1hNano: pick("cacheWrite1hNano"),
    toolCallNano: Object.fromEntries(tools.flatMap(([name, nano]) => (nano === null ? [] : [[name, nano]]))),
  };
}

/** The prices of a book that are still to come, as a description names them. */
export const upcomingIn = (book: readonly BookedPrice[], nowMs: number): DescribedPrice[] =>
  book.filter(({ withdrawnAtMs, effectiveFromMs }) => withdrawnAtMs === null && effectiveFromMs > nowMs);
