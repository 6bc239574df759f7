import { type Amounts, isWithin } from "../../core/money/amount.ts";
import { costIn, type PayRates } from "../../core/money/price.ts";
import { eachCount, type Usage } from "../../core/money/usage.ts";

type Priced = { charge: Amounts; usage: Usage };

/**
 * A charge that rests on figures nobody can vouch for takes at most what was set aside, in every unit. The usage is brought down
 * with it, every part in proportion, so that what the caller is shown is what it pays.
 */
export function withinReservation(usage: Usage, granted: Amounts, rates: PayRates): Priced {
  const fits = (some: Usage): boolean => isWithin(costIn(rates, some), granted);
  if (fits(usage)) return { charge: costIn(rates, usage), usage };
  const { part, whole } = scarcest(costIn(rates, usage), granted);
  const cut = eachCount(usage, (count) => Number((BigInt(count) * part) / whole));
  // What the rounding left goes to the output, token by token as far as it pays for any.
  let [less, more] = [0, usage.outputTokens - cut.outputTokens];
  while (less < more) {
    const between = Math.ceil((less + more) / 2);
    if (fits({ ...cut, outputTokens: cut.outputTokens + between })) less = between;
    else more = between - 1;
  }
  const shown = { ...cut, outputTokens: cut.outputTokens + less };
  return { charge: costIn(rates, shown), usage: shown };
}

/** The share of its cost that was set aside, in the unit that lacks most. */
function scarcest(cost: Amounts, granted: Amounts): { part: bigint; whole: bigint } {
  const shares = [
    { part: granted.credits ?? 0n, whole: cost.credits ?? 0n },
    { part: granted.tokens ?? 0n, whole: cost.tokens ?? 0n },
  ].filter(({ part, whole }) => whole > part);
  return shares.reduce((least, share) => (share.part * least.whole < least.part * share.whole ? share : least), {
    part: 1n,
    whole: 1n,
  });
}
