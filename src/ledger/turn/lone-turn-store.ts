import { sqlStateOf } from "../../db/database-error.ts";
import { LINE, PREPARED, type Queryable } from "../../db/database.ts";
import type { Ask, BatchVerdict, LedgerTurn, Settlement, TurnAnswer } from "../ledger.ts";
import { isBorne, moreColumn, toolColumn, USAGE_COUNTS } from "./usage-columns.ts";
import type { Numbers } from "./words-store.ts";

const ADMIT = callOf("admit_turn_v1", "uuid uuid uuid uuid bigint int int bigint bigint bigint bigint int int int");
const SETTLE = callOf(
  "settle_turn_v2",
  "uuid uuid uuid bigint bigint int int int int int int jsonb int int int int boolean bytea int jsonb",
);

/** The request was there before, and nothing has happened. */
const KNOWN_BEFORE = "40T01";

/** What stands for words, and for how each settlement was served. */
type Known = { numbers: Numbers; ways: readonly (number | null)[] };

/** A turn of one plain call, which the ledger does in less time. Null: nothing has happened, and the turn goes the way of all others. */
export async function turnAlone(
  queryable: Queryable,
  processId: string,
  { settlements, asks }: LedgerTurn,
  known: Known,
): Promise<TurnAnswer | null> {
  if (settlements.length + asks.length !== 1) return null;
  const [settlement, ask] = [settlements[0], asks[0]];
  try {
    if (settlement !== undefined && isPlainEnd(settlement)) return await settleAlone(queryable, settlement, known);
    if (ask !== undefined && isPlainAsk(ask)) return await admitAlone(queryable, processId, ask, known.numbers);
  } catch (error) {
    if (sqlStateOf(error) !== KNOWN_BEFORE) throw error;
  }
  return null;
}

const isPlainEnd = (settlement: Settlement): boolean =>
  settlement.outcome === "completed" &&
  settlement.chain.counters.length === 0 &&
  settlement.answer === null &&
  !isBorne(settlement) &&
  settlement.capPerHour > 0n;

const isPlainAsk = ({ chain, claim }: Ask): boolean => chain.counters.length === 0 && claim === null;

async function settleAlone(
  queryable: Queryable,
  end: Settlement,
  { numbers, ways }: Known,
): Promise<TurnAnswer | null> {
  const { id, keyId, price, usage, record, digest } = end;
  const values = [
    LINE,
    id,
    keyId,
    price.credits,
    price.tokens,
    ...USAGE_COUNTS.map((name) => usage[name]),
    toolColumn([usage], numbers)?.[0] ?? null,
    record && numbers.of(record.provider),
    record && record.status,
    record && record.firstByteMs,
    record && record.tookMs,
    record && record.estimated,
    digest === null ? null : `\\x${digest}`,
    ways[0] ?? null,
    moreColumn([usage])?.[0] ?? null,
  ];
  const [row] = await queryable.query<{ done: boolean }>(SETTLE, values, PREPARED);
  return row?.done === true ? { settled: [{ kind: "settled", charged: price }], verdicts: [] } : null;
}

async function admitAlone(
  queryable: Queryable,
  processId: string,
  ask: Ask,
  numbers: Numbers,
): Promise<TurnAnswer | null> {
  const { id, keyId, keyVersion, rpmLimit, chain, least, most, model, priceVersion, lifetimeMs } = ask;
  const amounts = [least.credits, most.credits, least.tokens, most.tokens];
  const priced = [numbers.of(model), priceVersion, lifetimeMs];
  const values = [LINE, processId, id, keyId, keyVersion, rpmLimit, chain.id, ...amounts, ...priced];
  const [row] = await queryable.query<{ done: bigint[] | null }>(ADMIT, values, PREPARED);
  if (!row?.done) return null;
  const [counted, resetMs] = row.done;
  const verdict: BatchVerdict = { kind: "admitted", granted: most };
  if (rpmLimit !== null) {
    const remaining = Math.max(0, rpmLimit - Number(counted));
    verdict.rate = { limit: rpmLimit, remaining, resetMs: Number(resetMs) };
  }
  return { settled: [], verdicts: [verdict] };
}

function callOf(fn: string, types: string): string {
  const values = types.split(" ").map((type, index) => `$${index + 1}::${type}`);
  return `select ${fn}(${values.join(", ")}) as done`;
}
