import type { Amounts, Unit } from "../../core/money/amount.ts";
import type { Payer } from "../../core/money/payer.ts";

/** Nothing is at stake any more. */
export type TakeBack = () => void;

/**
 * What the house may lose to requests that started on a count of their texts, if a provider makes of them what their bytes allow. What one
 * payer has at stake at a time stays within what the house bears of them in an hour: the cap of that is looked at when a request ends, and
 * all that run at once would pass it.
 */
export function createStakes(cap: Readonly<Record<Unit, bigint>>) {
  const open = new Map<Payer, { credits: bigint; tokens: bigint }>();

  /** Null: it is too much. */
  return (payer: Payer, { credits, tokens }: Amounts): TakeBack | null => {
    const [creditsToo, tokensToo] = [credits ?? 0n, tokens ?? 0n];
    const now = open.get(payer) ?? { credits: 0n, tokens: 0n };
    if (now.credits + creditsToo > cap.credit || now.tokens + tokensToo > cap.tokens) return null;
    open.set(payer, { credits: now.credits + creditsToo, tokens: now.tokens + tokensToo });
    let taken = true;
    return () => {
      const left = open.get(payer);
      if (!taken || left === undefined) return;
      taken = false;
      const rest = { credits: left.credits - creditsToo, tokens: left.tokens - tokensToo };
      if (rest.credits === 0n && rest.tokens === 0n) open.delete(payer);
      else open.set(payer, rest);
    };
  };
}
