import { type Amounts, type Unit, unitOf } from "../../src/core/money/amount.ts";
import type { ChainRef } from "../../src/core/money/counter.ts";
import { createId } from "../../src/core/ids.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Queryable } from "../../src/db/database.ts";
import type { Ask, Settlement } from "../../src/ledger/ledger.ts";

/** A key that is its own account: all that its requests name, and the counter that pays for them. */
export type LoneKey = { keyId: string; bucket: number; unit: Unit; chain: ChainRef; counter: number };

type Making = { mode?: KeyMode; bucket?: number; keyId?: string; funds?: bigint };

/** Makes one in the database, with funds: credits in its purse, or tokens that it may use each month. */
export async function loneKey(queryable: Queryable, making: Making = {}): Promise<LoneKey> {
  const { mode = "credit", bucket = 7, keyId = createId(Date.now()), funds = 0n } = making;
  await queryable.query("insert into key (id, bucket, mode) values ($1, $2, $3)", [keyId, bucket, mode]);
  const key = await readLoneKey(queryable, keyId);
  const reference = `p ${keyId}`;
  if (funds > 0n && mode === "credit")
    await queryable.query("select fund_v1($1, $2, 'purchase', $3, 'test')", [key.counter, reference, funds]);
  if (funds > 0n && mode === "token_budget")
    await queryable.query("select limit_v1($1, $2, $3, 'month', 'test')", [key.counter, reference, funds]);
  return key;
}

/** One that is there already. */
export async function readLoneKey(queryable: Queryable, keyId: string): Promise<LoneKey> {
  const sql = `select b.bucket::int as bucket, k.mode, b.chain, b.counter from balance b join key k on k.id = b.key_id where k.id = $1`;
  type Row = { bucket: number; mode: KeyMode; chain: number; counter: number };
  const [row] = await queryable.query<Row>(sql, [keyId]);
  if (!row) throw new Error(`there is no key ${keyId}`);
  return {
    keyId,
    bucket: row.bucket,
    unit: unitOf(row.mode),
    chain: { id: row.chain, counters: [] },
    counter: row.counter,
  };
}

/** So much in one unit, and nothing that counts in the other. */
export const amountsOf = (unit: Unit, amount: bigint): Amounts =>
  unit === "credit" ? { credits: amount, tokens: null } : { credits: null, tokens: amount };

export const creditsOf = (credits: bigint): Amounts => amountsOf("credit", credits);
export const tokensOf = (tokens: bigint): Amounts => amountsOf("tokens", tokens);

/** What both have of `All`, with the amounts `Names` in the one unit of a lone key. */
type InOneUnit<All, Names extends keyof All> = Partial<Omit<All, Names> & Record<Names, bigint>>;

type Payer = Pick<LoneKey, "keyId" | "bucket" | "unit" | "chain">;

export type AskFields = InOneUnit<Ask, "least" | "most">;

/** A request of a lone key that asks for 1 to 10, and what a test says otherwise. */
export function askOf(
  { keyId, bucket, unit, chain }: Payer,
  { least = 1n, most = 10n, ...fields }: AskFields = {},
): Ask {
  return {
    id: createId(Date.now()),
    keyId,
    bucket,
    chain,
    keyVersion: 1,
    rpmLimit: null,
    least: amountsOf(unit, least),
    most: amountsOf(unit, most),
    unlimited: false,
    model: "m",
    priceVersion: 1,
    lifetimeMs: 300_000,
    claim: null,
    ...fields,
  };
}

export type EndFields = InOneUnit<Settlement, "price" | "absorbed" | "waived">;

/** Its end: completed for 7, of which the operator bears nothing, under a cap that nothing reaches, and what a test says otherwise. */
export function endOf(
  { id, keyId, bucket, chain, most }: Pick<Ask, "id" | "keyId" | "bucket" | "chain" | "most">,
  { price = 7n, absorbed = 0n, waived = 0n, ...fields }: EndFields = {},
): Settlement {
  const unit = most.credits === null ? "tokens" : "credit";
  return {
    id,
    keyId,
    bucket,
    chain,
    outcome: "completed",
    price: amountsOf(unit, price),
    usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 4 },
    digest: null,
    contentDelivered: true,
    record: null,
    answer: null,
    absorbed: amountsOf(unit, absorbed),
    waived: amountsOf(unit, waived),
    capPerHour: 10n ** 18n,
    accountCapPerHour: 10n ** 18n,
    ...fields,
  };
}
