import { eachCount, type Usage } from "../../core/usage.ts";

type Priced = { charge: bigint; usage: Usage };

/**
 * A charge that rests on figures nobody can vouch for takes at most what was set aside. The usage is brought down with it, every
 * part in proportion, so that what the caller is shown is what it pays.
 */
export function withinReservation(usage: Usage, granted: bigint, costOf: (usage: Usage) => bigint): Priced {
  const cost = costOf(usage);
  if (cost <= granted) return { charge: cost, usage };
  const cut = eachCount(usage, (count) => Number((BigInt(count) * granted) / cost));
  // What the rounding left goes to the output, token by token as far as it pays for any.
  const perToken = costOf({ ...cut, outputTokens: cut.outputTokens + 1 }) - costOf(cut);
  const more = perToken > 0n ? Number((granted - costOf(cut)) / perToken) : 0;
  return { charge: granted, usage: { ...cut, outputTokens: cut.outputTokens + more } };
}
