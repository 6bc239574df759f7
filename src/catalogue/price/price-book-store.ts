import type { PriceChange } from "../../core/catalogue/catalogue-change.ts";
import {
  byPart,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  wordOf,
} from "../../core/money/price.ts";
import { type StoredLine, storedLines, whenOfStored } from "../../core/money/stored-lines.ts";
import type { Queryable } from "../../db/database.ts";
import type { BookedPrice, CatalogueDescription, DescribedPrice, Price } from "../model.ts";
import { planPrices, type PricePlan } from "./price-book.ts";

/** A price as PostgreSQL writes it into JSON: amounts as text, since a JSON number would pass through a double. */
export type PriceRow = {
  version: number;
  effectiveFromMs: number;
  withdrawnAtMs: number | null;
  suspendedFor: string | null;
} & TariffColumns;

type TariffColumns = { [Name in (typeof NEEDED_PARTS)[number]]: string } & {
  [Name in (typeof OPTIONAL_PARTS)[number]]: string | null;
} & { toolCallNano: Record<string, string>; whenLines: StoredLine[] | null };

/** What `suspended_for` says of a price that programs of before lines cannot read, so that they do not sell it. */
export const NEWER = "when";

/** Every part has a column of its own. */
const PART_COLUMNS = TARIFF_PARTS.map((part) => ({ part, column: `${wordOf(part)}_nano` }));

const READ_BEFORE: ReadonlySet<TariffPart> = new Set([
  "inputNano",
  "outputNano",
  "cacheReadNano",
  "cacheWrite5mNano",
  "cacheWrite1hNano",
]);
const NEWER_PARTS = TARIFF_PARTS.filter((part) => !READ_BEFORE.has(part));

/** The columns of a table called `price` as a `PriceRow`. */
export const PRICE_AS_JSON = `jsonb_build_object(
  'version', price.version,
  'effectiveFromMs', floor(extract(epoch from price.effective_from) * 1000),
  'withdrawnAtMs', floor(extract(epoch from price.withdrawn_at) * 1000), 'suspendedFor', nullif(price.suspended_for, '${NEWER}'),
  ${PART_COLUMNS.map(({ part, column }) => `'${part}', price.${column}::text`).join(", ")},
  'toolCallNano', price.tool_call_nano, 'whenLines', price.when_lines)`;

const READ_BOOKS = `
  select model_id, jsonb_agg(${PRICE_AS_JSON} order by version) as prices
  from price where model_id = any ($1) group by model_id`;

const WITHDRAW = `
  update price set withdrawn_at = $2
  from jsonb_to_recordset($1) as d ("modelId" text, version int)
  where price.model_id = d."modelId" and price.version = d.version`;

const ADD = `
  insert into price (model_id, version, effective_from, tool_call_nano, when_lines, suspended_for,
                     ${PART_COLUMNS.map(({ column }) => column).join(", ")})
  select d."modelId", d.version, d."effectiveFrom", d."toolCallNano", d."whenLines",
         case when d."whenLines" is not null or ${NEWER_PARTS.map((part) => `d."${part}" is not null`).join(" or ")} then '${NEWER}' end,
         ${PART_COLUMNS.map(({ part }) => `d."${part}"`).join(", ")}
  from jsonb_to_recordset($1) as d ("modelId" text, version int, "effectiveFrom" timestamptz, "toolCallNano" jsonb, "whenLines" jsonb,
                                    ${PART_COLUMNS.map(({ part }) => `"${part}" bigint`).join(", ")})`;

/** What a model's prices are to be. */
export type PricedModel = { id: string; described: readonly DescribedPrice[] };
export type BookPlan = PricePlan & { modelId: string };

/** Writes the described prices into the books. */
export async function applyPrices(tx: Queryable, { models }: CatalogueDescription): Promise<PriceChange[]> {
  const priced = models.flatMap(({ id, price, upcomingPrices }) => {
    const described = price === null ? upcomingPrices : [price, ...upcomingPrices];
    return described.length === 0 ? [] : [{ id, described }];
  });
  if (priced.length === 0) return [];
  const nowMs = await databaseNowMs(tx);
  const books = await readBooks(
    tx,
    priced.map(({ id }) => id),
  );
  return writeBooks(tx, { plans: planBooks(priced, { books, nowMs }), nowMs });
}

export const planBooks = (
  priced: readonly PricedModel[],
  { books, nowMs }: { books: ReadonlyMap<string, readonly BookedPrice[]>; nowMs: number },
): BookPlan[] =>
  priced.map(({ id, described }) => ({
    modelId: id,
    ...planPrices(id, { book: books.get(id) ?? [], described, nowMs }),
  }));

/**
 * Call it under the catalogue's lock: what the plans were made of is still true when they are written, and the primary key
 * refuses a version that somebody added past the lock.
 */
export async function writeBooks(
  tx: Queryable,
  { plans, nowMs }: { plans: readonly BookPlan[]; nowMs: number },
): Promise<PriceChange[]> {
  const withdrawn = plans.flatMap(({ modelId, withdraw }) => withdraw.map(({ version }) => ({ modelId, version })));
  const added = plans.flatMap(({ modelId, add }) =>
    add.map((price) => ({
      modelId,
      version: price.version,
      effectiveFrom: new Date(price.effectiveFromMs),
      ...rowOf(price),
    })),
  );
  // Nothing to write writes nothing, so that no gateway is woken.
  if (withdrawn.length > 0) await tx.query(WITHDRAW, [JSON.stringify(withdrawn), new Date(nowMs)]);
  if (added.length > 0) await tx.query(ADD, [JSON.stringify(added)]);
  return plans.flatMap(({ changes }) => changes);
}

/** The books of these models, oldest version first; a model that was never priced has none. */
export async function readBooks(tx: Queryable, modelIds: readonly string[]): Promise<Map<string, BookedPrice[]>> {
  const rows = await tx.query<{ model_id: string; prices: PriceRow[] }>(READ_BOOKS, [modelIds]);
  return new Map(rows.map(({ model_id, prices }) => [model_id, prices.map(bookedPriceOf)]));
}

/** Read after the lock is held, so that two descriptions never give their prices dates in the wrong order. */
export async function databaseNowMs(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now.getTime() ?? 0;
}

export const priceOf = (row: PriceRow): Price => ({
  version: row.version,
  effectiveFromMs: row.effectiveFromMs,
  ...byPart(NEEDED_PARTS, (part) => BigInt(row[part])),
  ...byPart(OPTIONAL_PARTS, (part) => amountOf(row[part])),
  toolCallNano: Object.fromEntries(Object.entries(row.toolCallNano).map(([name, nano]) => [name, BigInt(nano)])),
  ...whenOfStored(row.whenLines),
});

const bookedPriceOf = (row: PriceRow): BookedPrice => ({
  ...priceOf(row),
  withdrawnAtMs: row.withdrawnAtMs,
  suspendedFor: row.suspendedFor,
});

/** A tariff as the statement that adds prices reads it. */
const rowOf = (tariff: Tariff): TariffColumns => ({
  ...byPart(NEEDED_PARTS, (part) => String(tariff[part])),
  ...byPart(OPTIONAL_PARTS, (part) => textOf(tariff[part] ?? null)),
  toolCallNano: Object.fromEntries(Object.entries(tariff.toolCallNano).map(([name, nano]) => [name, String(nano)])),
  whenLines: storedLines(tariff),
});

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
const textOf = (nano: bigint | null): string | null => (nano === null ? null : String(nano));
