import type { NanoCredits } from "./money.ts";
import type { Usage } from "./usage.ts";

/** Nano-credits per million tokens. Where a special price is null, the plain input price applies. */
export type Tariff = {
  inputNano: bigint;
  outputNano: bigint;
  cacheReadNano: bigint | null;
  cacheWrite5mNano: bigint | null;
  cacheWrite1hNano: bigint | null;
};

const MILLION = 1_000_000n;

/** What a usage costs. The parts are added before the one rounding, half up, so that no part loses its fraction. */
export function chargeOf(tariff: Tariff, usage: Usage): NanoCredits {
  const cacheRead = BigInt(usage.cacheReadTokens);
  const cacheWrite = BigInt(usage.cacheWriteTokens);
  const plain = BigInt(usage.inputTokens) - cacheRead - cacheWrite;
  const millionths =
    (plain < 0n ? 0n : plain) * tariff.inputNano +
    cacheRead * (tariff.cacheReadNano ?? tariff.inputNano) +
    cacheWrite * (tariff.cacheWrite5mNano ?? tariff.inputNano) +
    BigInt(usage.outputTokens) * tariff.outputNano;
  return (millionths + MILLION / 2n) / MILLION;
}

/** The most a million tokens of input can cost, whatever becomes of the cache. */
export function dearestInputNano(tariff: Tariff): bigint {
  const prices = [tariff.inputNano, tariff.cacheReadNano, tariff.cacheWrite5mNano, tariff.cacheWrite1hNano];
  return prices.reduce<bigint>((dearest, price) => (price !== null && price > dearest ? price : dearest), 0n);
}

/** A cost in millionths of a nano-credit, rounded up: money is set aside, not charged. */
export const roundedUp = (millionths: bigint): NanoCredits => (millionths + MILLION - 1n) / MILLION;
