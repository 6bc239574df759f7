import { byPart, NEEDED_PARTS, OPTIONAL_PARTS, type Tariff, TARIFF_PARTS, wordOf } from "../core/price.ts";
import type { BookedPrice, Price } from "./model.ts";

/** A price as PostgreSQL writes it into JSON: amounts as text, since a JSON number would pass through a double. */
export type PriceRow = {
  version: number;
  effectiveFromMs: number;
  withdrawnAtMs: number | null;
  suspendedFor: string | null;
} & TariffRow;

type TariffRow = ReturnType<typeof rowOf>;

/** Every part has a column of its own. */
export const PART_COLUMNS = TARIFF_PARTS.map((part) => ({ part, column: `${wordOf(part)}_nano` }));

/** The columns of a table called `price` as a `PriceRow`. */
export const PRICE_AS_JSON = `jsonb_build_object(
  'version', price.version,
  'effectiveFromMs', floor(extract(epoch from price.effective_from) * 1000),
  'withdrawnAtMs', floor(extract(epoch from price.withdrawn_at) * 1000), 'suspendedFor', price.suspended_for,
  ${PART_COLUMNS.map(({ part, column }) => `'${part}', price.${column}::text`).join(", ")},
  'toolCallNano', price.tool_call_nano)`;

export const priceOf = (row: PriceRow): Price => ({
  version: row.version,
  effectiveFromMs: row.effectiveFromMs,
  ...byPart(NEEDED_PARTS, (part) => BigInt(row[part])),
  ...byPart(OPTIONAL_PARTS, (part) => amountOf(row[part])),
  toolCallNano: Object.fromEntries(Object.entries(row.toolCallNano).map(([name, nano]) => [name, BigInt(nano)])),
});

export const bookedPriceOf = (row: PriceRow): BookedPrice => ({
  ...priceOf(row),
  withdrawnAtMs: row.withdrawnAtMs,
  suspendedFor: row.suspendedFor,
});

/** A tariff as the statement that adds prices reads it. */
export const rowOf = (tariff: Tariff) => ({
  ...byPart(NEEDED_PARTS, (part) => String(tariff[part])),
  ...byPart(OPTIONAL_PARTS, (part) => textOf(tariff[part] ?? null)),
  toolCallNano: Object.fromEntries(Object.entries(tariff.toolCallNano).map(([name, nano]) => [name, String(nano)])),
});

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : String(nano));
