import type { Tariff } from "../core/price.ts";
import type { BookedPrice, Price } from "./model.ts";

/** A price as PostgreSQL writes it into JSON: amounts as text, since a JSON number would pass through a double. */
export type PriceRow = {
  version: number;
  effectiveFromMs: number;
  withdrawnAtMs: number | null;
  suspendedFor: string | null;
  inputNano: string;
  outputNano: string;
  cacheReadNano: string | null;
  cacheWrite5mNano: string | null;
  cacheWrite1hNano: string | null;
  toolCallNano: Record<string, string>;
};

/** The columns of a table called `price` as a `PriceRow`. */
export const PRICE_AS_JSON = `jsonb_build_object(
  'version', price.version,
  'effectiveFromMs', floor(extract(epoch from price.effective_from) * 1000),
  'withdrawnAtMs', floor(extract(epoch from price.withdrawn_at) * 1000), 'suspendedFor', price.suspended_for,
  'inputNano', price.input_nano::text, 'outputNano', price.output_nano::text,
  'cacheReadNano', price.cache_read_nano::text, 'cacheWrite5mNano', price.cache_write_5m_nano::text,
  'cacheWrite1hNano', price.cache_write_1h_nano::text, 'toolCallNano', price.tool_call_nano)`;

export const priceOf = (row: PriceRow): Price => ({
  version: row.version,
  effectiveFromMs: row.effectiveFromMs,
  inputNano: BigInt(row.inputNano),
  outputNano: BigInt(row.outputNano),
  cacheReadNano: amountOf(row.cacheReadNano),
  cacheWrite5mNano: amountOf(row.cacheWrite5mNano),
  cacheWrite1hNano: amountOf(row.cacheWrite1hNano),
  toolCallNano: Object.fromEntries(Object.entries(row.toolCallNano).map(([name, nano]) => [name, BigInt(nano)])),
});

export const bookedPriceOf = (row: PriceRow): BookedPrice => ({
  ...priceOf(row),
  withdrawnAtMs: row.withdrawnAtMs,
  suspendedFor: row.suspendedFor,
});

/** A tariff as the statement that adds prices reads it. */
export const rowOf = (
  tariff: Tariff,
): Omit<PriceRow, "version" | "effectiveFromMs" | "withdrawnAtMs" | "suspendedFor"> => ({
  inputNano: String(tariff.inputNano),
  outputNano: String(tariff.outputNano),
  cacheReadNano: textOf(tariff.cacheReadNano),
  cacheWrite5mNano: textOf(tariff.cacheWrite5mNano),
  cacheWrite1hNano: textOf(tariff.cacheWrite1hNano),
  toolCallNano: Object.fromEntries(Object.entries(tariff.toolCallNano).map(([name, nano]) => [name, String(nano)])),
});

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : String(nano));
