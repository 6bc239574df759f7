import type { NanoCredits } from "./money.ts";
import type { Usage } from "./usage.ts";

/**
 * Nano-credits per million tokens, and per call of a tool that the provider runs. Where a cache price is null the nearest
 * price known applies: for an hour's writes that of five minutes, for everything else that of plain input.
 */
export type Tariff = {
  inputNano: bigint;
  outputNano: bigint;
  cacheReadNano: bigint | null;
  cacheWrite5mNano: bigint | null;
  cacheWrite1hNano: bigint | null;
  /** Per call, by the tool's name. */
  toolCallNano: Readonly<Record<string, bigint>>;
};

const MILLION = 1_000_000n;

/**
 * What a usage costs. The parts are added before the one rounding, half up, so that no part loses its fraction. A part
 * without a price of its own is in `unpricedUsage`.
 */
export function chargeOf(tariff: Tariff, usage: Usage): NanoCredits {
  const { inputNano, outputNano } = tariff;
  const read = BigInt(usage.cacheReadTokens);
  const write1h = BigInt(usage.cacheWrite1hTokens);
  const write5m = notNegative(BigInt(usage.cacheWriteTokens) - write1h);
  const plain = notNegative(BigInt(usage.inputTokens) - read - write5m - write1h);
  const millionths =
    plain * inputNano +
    read * (tariff.cacheReadNano ?? inputNano) +
    write5m * (tariff.cacheWrite5mNano ?? inputNano) +
    write1h * (tariff.cacheWrite1hNano ?? tariff.cacheWrite5mNano ?? inputNano) +
    BigInt(usage.outputTokens) * outputNano +
    toolsNano(tariff, usage) * MILLION;
  return (millionths + MILLION / 2n) / MILLION;
}

/**
 * The first part of a usage that costs the house money and has no price of its own, named as the catalogue file names it;
 * null when all of it is paid for. A cache read without a price is charged as plain input, which is never less than its provider asks.
 */
export function unpricedUsage(tariff: Tariff, usage: Usage): string | null {
  if (usage.cacheWriteTokens > usage.cacheWrite1hTokens && tariff.cacheWrite5mNano === null) return "cache_write_5m";
  if (usage.cacheWrite1hTokens > 0 && tariff.cacheWrite1hNano === null) return "cache_write_1h";
  const tool = Object.entries(usage.toolCalls).find(([name, calls]) => calls > 0 && toolNano(tariff, name) === null);
  return tool === undefined ? null : `tools.${tool[0]}`;
}

/** The most a million tokens of input can cost, whatever becomes of the cache. */
export function dearestInputNano(tariff: Tariff): bigint {
  const prices = [tariff.inputNano, tariff.cacheReadNano, tariff.cacheWrite5mNano, tariff.cacheWrite1hNano];
  return prices.reduce<bigint>((dearest, price) => (price !== null && price > dearest ? price : dearest), 0n);
}

/** A cost in millionths of a nano-credit, rounded up: money is set aside, not charged. */
export const roundedUp = (millionths: bigint): NanoCredits => (millionths + MILLION - 1n) / MILLION;

const toolsNano = (tariff: Tariff, { toolCalls }: Usage): bigint =>
  Object.entries(toolCalls).reduce((sum, [name, calls]) => sum + BigInt(calls) * (toolNano(tariff, name) ?? 0n), 0n);

/** Tool names come from a provider, so one may be called `constructor`. */
const toolNano = ({ toolCallNano }: Tariff, name: string): bigint | null =>
  Object.hasOwn(toolCallNano, name) ? (toolCallNano[name] ?? null) : null;

const notNegative = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
