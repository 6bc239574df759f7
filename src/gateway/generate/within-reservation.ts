import { type Amounts, isWithin } from "../../core/money/amount.ts";
import { costIn, type PayRates } from "../../core/money/pay-rate.ts";
import { eachCount, type Usage } from "../../core/money/usage.ts";

type Priced = { charge: Amounts; usage: Usage };

/**
 * A charge that rests on figures nobody can vouch for takes at most what was set aside, in every unit. The usage is brought down
 * with it, every part in proportion, so that what the caller is shown is what it pays.
 */
export function withinReservation(usage: Usage, granted: Amounts, rates: PayRates): Priced {
  const fits = (some: Usage): boolean => isWithin(costIn(rates, some), granted);
  if (fits(usage)) return { charge: costIn(rates, usage), usage };
  const cut = cutToFit(usage, scarcest(costIn(rates, usage), granted), fits);
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

type Share = { part: bigint; whole: bigint };

/**
 * Shares of a whole lose their fractions apart from it, so that what is left of it can be more than its part; and less input may stand in
 * a row of the price that is dearer. So a cut that does not fit is made deeper until it does, which nothing at all always does.
 */
function cutToFit(usage: Usage, share: Share, fits: (some: Usage) => boolean): Usage {
  const cutBy = ({ part, whole }: Share): Usage => eachCount(usage, (count) => Number((BigInt(count) * part) / whole));
  const cut = cutBy(share);
  if (fits(cut)) return cut;
  let [less, more] = [0n, CUTS - 1n];
  while (less < more) {
    const between = (less + more + 1n) / 2n;
    if (fits(cutBy({ part: share.part * between, whole: share.whole * CUTS }))) less = between;
    else more = between - 1n;
  }
  return cutBy({ part: share.part * less, whole: share.whole * CUTS });
}

/** As finely as any usage has tokens. */
const CUTS = 1n << 32n;

/** The share of its cost that was set aside, in the unit that lacks most. */
function scarcest(cost: Amounts, granted: Amounts): Share {
  const shares = [
    { part: granted.credits ?? 0n, whole: cost.credits ?? 0n },
    { part: granted.tokens ?? 0n, whole: cost.tokens ?? 0n },
  ].filter(({ part, whole }) => whole > part);
  return shares.reduce((least, share) => (share.part * least.whole < least.part * share.whole ? share : least), {
    part: 1n,
    whole: 1n,
  });
}
