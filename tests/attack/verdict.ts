import type { Cap, Lane } from "./attempt.ts";
import type { Delays } from "./neighbour-process.ts";

/** What one lane of an attempt came to. Amounts are nano-credits; of a token budget, at the list price of the same request. */
export type LaneFigures = {
  lane: Lane;
  tokens: number;
  price: bigint;
  charged: bigint;
  /** The most one request of it cost at list: by so much a cap may be passed. */
  dearest: bigint;
  keyStatus: string;
  /** Requests that no provider was asked. */
  unasked: number;
  /** Nothing is left of the balance, so that nothing more can be tried. */
  exhausted: boolean;
  writtenOff: bigint;
  /** Balance and charges tell the same story. */
  booksAgree: boolean;
};

export type LaneVerdict = { held: boolean; gain: bigint; percent: number; why: string };

/** Allowed of its own price, in percent. */
export const ALLOWED_PERCENT = 1;
/** How much longer the neighbour's slowest hundredth may take. */
export const NEIGHBOUR_RATIO = 3;

/** Judges what an attacker gained on one lane. */
export function judgeLane(figures: LaneFigures, cap: Cap | undefined, capNano: bigint): LaneVerdict {
  const { price, charged, dearest, keyStatus, exhausted, unasked } = figures;
  const gain = price - charged;
  const percent = price === 0n ? 0 : Number((gain * 10_000n) / price) / 100;
  const verdict = (held: boolean, why: string): LaneVerdict => ({ held, gain, percent, why });
  if (!figures.booksAgree) return verdict(false, "the balance and the charges differ");
  if (gain * 100n <= price * BigInt(ALLOWED_PERCENT)) return verdict(true, price === 0n ? "rejected" : "paid");
  if (cap === undefined) return verdict(false, `gains ${percent.toFixed(1)} % of its price`);
  if (gain > capNano + dearest)
    return verdict(false, `gains ${percent.toFixed(1)} %, more than its cap and one request`);
  // A cap that bites shows: by a suspension, an empty balance, a pause, or most of the price charged.
  if (cap.pauses === true && unasked > 0) return verdict(true, `capped by ${cap.setting}`);
  if (keyStatus === "active" && !exhausted && charged * 2n < price && price < 2n * (capNano + dearest))
    return verdict(false, "too little was tried to see its cap");
  return verdict(true, `capped by ${cap.setting}`);
}

export type NeighbourVerdict = { held: boolean; why: string };

/** Judges what the neighbour felt, against the same stretch of time without the attack. */
export function judgeNeighbour(before: Delays, during: Delays): NeighbourVerdict {
  if (during.refused > 0) return { held: false, why: `${during.refused} of the neighbour's requests rejected` };
  if (during.requests === 0) return { held: false, why: "the neighbour was not served at all" };
  const ratio = during.p99Ms / before.p99Ms;
  if (ratio > NEIGHBOUR_RATIO) return { held: false, why: `the neighbour's p99 is ${ratio.toFixed(1)} times as long` };
  return { held: true, why: "no effect" };
}
