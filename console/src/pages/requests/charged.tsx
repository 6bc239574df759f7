import type { ReactNode } from "react";
import type { LiveAmounts } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS, TOKENS, type Unit } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";

export type Sum = { value: bigint; unit: Unit };

/** In credits where any count, else in tokens. Null: in neither. */
export function sumOf(amounts: LiveAmounts | null): Sum | null {
  if (amounts === null) return null;
  if (amounts.credits !== null) return { value: readCredits(amounts.credits), unit: CREDITS };
  return amounts.tokens === null ? null : { value: BigInt(amounts.tokens), unit: TOKENS };
}

/** What was charged: a bare number is in credits. */
export function Charged({ amounts }: { amounts: LiveAmounts | null }): ReactNode {
  const sum = sumOf(amounts);
  return sum === null ? <span className="text-ink-3">–</span> : <Amount {...sum} named={sum.unit === TOKENS} />;
}
