import { requestIdOf } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { sqlStateOf } from "../db/database-error.ts";
import type { Queryable } from "../db/database.ts";
import { formatAmount, type Unit } from "../core/amount.ts";
import type { AccountRow, ChargeSum, Mismatch } from "./verify-account.ts";
import type { Chunk, Cursor, VerifyStore } from "./verify.ts";

const CHARGES_AT_ONCE = 20_000;
const KEYS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 10_000;
const MOST_WRONG = 1_000;
/** What PostgreSQL says of a statement that it stopped. */
const CANCELLED = "57014";

const COUNTED = "('completed', 'timed_out', 'upstream_failed')";

/**
 * Values: how far back. A minute is many times what a call to the ledger may take, and no id is admitted that is more than an hour off.
 * Older ids without a hold will not come any more.
 */
const BOUNDARY = `select least(
    uuid_floor(ledger_now() - $1 * interval '1 minute'),
    (select id from hold order by id limit 1)
  ) as id`;
const MINUTES = { usual: 1, certain: 62 };

/** Values: after, before, keys, limit. One row per key and period, and at least one, which says how far the piece went. */
const CHARGES = `
  with piece as materialized (
    select hold_id, key_id, period_no, amount, kind, tokens_in, tokens_out from charge
     where hold_id > $1::uuid and hold_id < $2::uuid order by hold_id limit $4::int
  ), per_key as (
    select key_id, period_no, count(*) as charges, sum(amount)::bigint as amount,
           count(*) filter (where kind in ${COUNTED}) as requests,
           sum(tokens_in)::bigint as tokens_in, sum(tokens_out)::bigint as tokens_out
      from piece where $3::uuid[] is null or key_id = any ($3::uuid[]) group by key_id, period_no
  )
  select (select count(*)::int from piece) as seen, (select hold_id from piece order by hold_id desc limit 1) as last,
         k.key_id as "keyId", k.period_no as "periodNo", k.charges, k.amount, k.amount as current, k.requests,
         k.tokens_in as "inputTokens", k.tokens_out as "outputTokens"
    from (select 1) one left join per_key k on true`;

/** Values: after, boundary, keys, limit. One statement, so a balance and all it follows from are of one instant. */
const ACCOUNTS = `
  with b as materialized (
    select * from balance where key_id > $1::uuid and ($3::uuid[] is null or key_id = any ($3::uuid[]))
     order by key_id limit $4::int
  ), h as (
    select h.key_id, count(*) as holds, sum(h.amount)::bigint as amount,
           coalesce(sum(h.amount) filter (where h.period_no < b.period_no), 0)::bigint as older
      from hold h join b on b.key_id = h.key_id group by h.key_id
  ), f as (
    select f.key_id, count(*) as fundings,
           coalesce(sum(f.amount) filter (where f.kind in ('purchase', 'grant', 'refund', 'adjust')), 0)::bigint as paid_in,
           coalesce(sum(f.amount) filter (where f.kind = 'refund' and f.period_no = b.period_no), 0)::bigint as refunded_now,
           count(*) filter (where f.kind = 'period_reset') as resets,
           count(f.seq) as numbered,
           (array_agg(f.amount order by f.seq desc nulls last, f.at desc, f.amount = b.budget desc) filter (where f.kind = 'budget'))[1] as budget
      from funding f join b on b.key_id = f.key_id group by f.key_id
  ), undone as (
    select f.key_id, count(*) filter (where c.kind in ${COUNTED}) as requests, sum(c.tokens_in)::bigint as tokens_in,
           sum(c.tokens_out)::bigint as tokens_out, sum(c.amount)::bigint as amount,
           sum((select sum(r.amount) from funding r where r.about = f.about and r.key_id = f.key_id))::bigint as refunded
      from funding f join b on b.key_id = f.key_id join charge c on c.hold_id = f.about
     where f.kind = 'refund' and f.reference = '#void:' || f.about group by f.key_id
  ), tail as (
    select c.key_id, count(*) as charges, sum(c.amount)::bigint as amount,
           coalesce(sum(c.amount) filter (where c.period_no = b.period_no), 0)::bigint as current,
           count(*) filter (where c.kind in ${COUNTED}) as requests,
           sum(c.tokens_in)::bigint as tokens_in, sum(c.tokens_out)::bigint as tokens_out
      from charge c join b on b.key_id = c.key_id where c.hold_id >= $2::uuid group by c.key_id
  )
  select b.key_id as "keyId", b.unit, b.posted, b.held, b.older_held as "olderHeld", b.purchased, b.used, b.budget,
         b.period_no as "periodNo", b.requests, b.tokens_in as "inputTokens", b.tokens_out as "outputTokens", b.version,
         k.version as "keyVersion",
         coalesce(h.holds, 0) as holds, coalesce(h.amount, 0) as "holdSum", coalesce(h.older, 0) as "olderHoldSum",
         coalesce(f.fundings, 0) as fundings, coalesce(f.numbered, 0) as numbered, b.fundings as "lastNumber", coalesce(f.paid_in, 0) as "paidIn", coalesce(f.refunded_now, 0) as "refundedNow",
         coalesce(f.resets, 0) as resets, coalesce(f.budget, 0) as "lastBudget",
         coalesce(undone.requests, 0) as "undoneRequests", coalesce(undone.tokens_in, 0) as "undoneInputTokens",
         coalesce(undone.tokens_out, 0) as "undoneOutputTokens", coalesce(undone.amount, 0) as "undoneAmount",
         coalesce(undone.refunded, 0) as "undoneRefunded",
         coalesce(tail.charges, 0) as "tailCharges", coalesce(tail.amount, 0) as "tailAmount",
         coalesce(tail.current, 0) as "tailCurrent", coalesce(tail.requests, 0) as "tailRequests",
         coalesce(tail.tokens_in, 0) as "tailInputTokens", coalesce(tail.tokens_out, 0) as "tailOutputTokens"
    from b left join key k on k.id = b.key_id left join h on h.key_id = b.key_id left join f on f.key_id = b.key_id
    left join undone on undone.key_id = b.key_id left join tail on tail.key_id = b.key_id
   order by b.key_id`;

/**
 * Values of the following: the key and the id to go on after, keys, limit. Each row is judged within the statement that reads
 * it; what is wrong comes with two amounts, null where there is nothing.
 */
const pieceOf = ({ rows, order, wrong }: Record<"rows" | "order" | "wrong", string>): string => `
  with piece as materialized (${rows})
  select (select count(*)::int from piece) as seen, last.key_id as "lastKey", last.id as "lastId",
         w.key_id as "keyId", w.id, b.unit, w.expected, w.found
    from (select 1) one left join (select key_id, id from piece order by ${order} limit 1) last on true
    left join lateral (${wrong} limit ${MOST_WRONG}) w on true left join balance b on b.key_id = w.key_id`;

const RECORDS = pieceOf({
  rows: `select key_id, id, cost from usage_record
          where (key_id, id) > ($1::uuid, $2::uuid) and ($3::uuid[] is null or key_id = any ($3::uuid[]))
          order by key_id, id limit $4::int`,
  order: "key_id desc, id desc",
  wrong: `select p.key_id, p.id, c.amount as expected, p.cost as found
            from piece p left join charge c on c.hold_id = p.id and c.key_id = p.key_id
           where c.hold_id is null or c.amount <> p.cost`,
});

const REFUNDS = pieceOf({
  rows: `select about as id, key_id, sum(amount)::bigint as amount from funding
          where about is not null and (about, key_id) > ($2::uuid, $1::uuid) and ($3::uuid[] is null or key_id = any ($3::uuid[]))
          group by about, key_id order by about, key_id limit $4::int`,
  order: "id desc, key_id desc",
  wrong: `select p.key_id, p.id, c.amount as expected, p.amount as found
            from piece p left join charge c on c.hold_id = p.id and c.key_id = p.key_id
           where c.hold_id is null or c.amount < p.amount`,
});

const HOLDS = pieceOf({
  rows: `select id, key_id, amount from hold
          where id > $2::uuid and $1::uuid is not null and ($3::uuid[] is null or key_id = any ($3::uuid[]))
          order by id limit $4::int`,
  order: "id desc",
  wrong: `select p.key_id, p.id, c.amount as expected, p.amount as found
            from piece p left join charge c on c.hold_id = p.id left join balance o on o.key_id = p.key_id
           where c.hold_id is not null or o.key_id is null`,
});

const QUARANTINED = `select count(*)::int as count from quarantine q join hold h on h.id = q.hold_id
  where $1::uuid[] is null or q.key_id = any ($1::uuid[])`;

type ChargeRow = ChargeSum & { keyId: string | null; seen: number; last: string | null };
type TailColumns = Record<
  "tailCharges" | "tailAmount" | "tailCurrent" | "tailRequests" | "tailInputTokens" | "tailOutputTokens",
  bigint
>;
type Wrong = { keyId: string; id: string; unit: Unit | null; expected: bigint | null; found: bigint };
type PieceRow = { seen: number; lastKey: string | null; lastId: string | null } & (Wrong | { keyId: null });
type Words = { column: string; expected: (amount: string | null) => string; found: (amount: string) => string };

const RECORD_WORDS: Words = {
  column: "usage_record.cost",
  expected: (amount) => amount ?? "no record, as there is no charge",
  found: (amount) => amount,
};
const REFUND_WORDS: Words = {
  column: "funding.amount of refunds",
  expected: (amount) => (amount === null ? "none, as there is no charge" : `at most ${amount}`),
  found: (amount) => amount,
};
const HOLD_WORDS: Words = {
  column: "hold",
  expected: (amount) => (amount === null ? "a balance" : `none, as it was charged ${amount}`),
  found: (amount) => `open with ${amount}`,
};

/** Reads the books for their verification. No statement looks at more than a few ten thousand rows. */
export function createVerifyStore(queryable: Queryable): VerifyStore {
  const piece =
    (sql: string, words: Words): VerifyStore["records"] =>
    async ({ cursor, keyIds }) => {
      const rows = await queryable.query<PieceRow>(sql, [cursor.keyId, cursor.id, keyIds, ROWS_AT_ONCE]);
      const [{ seen, lastKey, lastId }] = atLeastOne(rows);
      const full = seen >= ROWS_AT_ONCE && lastKey !== null && lastId !== null;
      return {
        rows: rows.flatMap((row) => (row.keyId === null ? [] : [mismatchOf(row, words)])),
        seen,
        next: full ? { keyId: lastKey, id: lastId } : null,
      };
    };

  return {
    boundary: async (which) => {
      const [row] = await queryable.query<{ id: string }>(BOUNDARY, [MINUTES[which]]);
      invariant(row, "there is always a now");
      return row.id;
    },
    charges: async ({ cursor, before, keyIds }) => {
      const rows = await queryable.query<ChargeRow>(CHARGES, [cursor.id, before, keyIds, CHARGES_AT_ONCE]);
      const [{ seen, last }] = atLeastOne(rows);
      return {
        rows: rows.flatMap(({ keyId, seen: _seen, last: _last, ...sum }) => (keyId === null ? [] : [{ keyId, sum }])),
        seen,
        next: seen >= CHARGES_AT_ONCE && last !== null ? { keyId: cursor.keyId, id: last } : null,
      };
    },
    accounts: async ({ cursor, from, keyIds }) => {
      const rows = await queryable.query<AccountRow & TailColumns>(ACCOUNTS, [
        cursor.keyId,
        from,
        keyIds,
        KEYS_AT_ONCE,
      ]);
      return {
        rows: rows.map((row) => ({ row, tail: tailOf(row) })),
        seen: rows.length,
        next: nextAccount(rows),
      } satisfies Chunk<unknown>;
    },
    records: piece(RECORDS, RECORD_WORDS),
    refunds: piece(REFUNDS, REFUND_WORDS),
    holds: piece(HOLDS, HOLD_WORDS),
    quarantined: async (keyIds) => {
      const [row] = await queryable.query<{ count: number }>(QUARANTINED, [keyIds]);
      invariant(row, "a count is answered");
      return row.count;
    },
    tookTooLong: (error) => sqlStateOf(error) === CANCELLED,
  };
}

function nextAccount(rows: readonly AccountRow[]): Cursor | null {
  const last = rows.at(-1);
  return rows.length < KEYS_AT_ONCE || last === undefined ? null : { keyId: last.keyId, id: last.keyId };
}

function mismatchOf({ keyId, id, unit, expected, found }: Wrong, words: Words): Mismatch {
  const write = (amount: bigint): string => formatAmount(unit ?? "tokens", amount);
  return {
    keyId,
    column: `${words.column} (${requestIdOf(id)})`,
    expected: words.expected(expected === null ? null : write(expected)),
    found: words.found(write(found)),
  };
}

const tailOf = (row: AccountRow & TailColumns): ChargeSum => ({
  charges: row.tailCharges,
  amount: row.tailAmount,
  periodNo: row.periodNo,
  current: row.tailCurrent,
  requests: row.tailRequests,
  inputTokens: row.tailInputTokens,
  outputTokens: row.tailOutputTokens,
});

function atLeastOne<Row>(rows: readonly Row[]): [Row] {
  const [row] = rows;
  invariant(row !== undefined, "a piece is answered even when it is empty");
  return [row];
}
