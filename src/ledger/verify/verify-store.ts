import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";
import { createRanges } from "./charge-range-store.ts";
import { createRecompute } from "./recompute-store.ts";
import { createChecks } from "./verify-checks-store.ts";
import type { ChainSum, CounterRow, FundingSum, KeyRow } from "./verify-fold.ts";
import { createRollupCheck } from "./verify-rollups-store.ts";
import type { Chunk, Cursor, Moment, VerifiedKey, VerifyStore, View } from "./verify.ts";

const ROWS_AT_ONCE = 10_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Sorts as it is written, and is read back to the microsecond. */
const START = (column: string): string =>
  `case when ${column} > '-infinity' then to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end`;

/** Values: after, key, limit. One statement, so that keys, their own counters and their holds are of one instant. */
const BALANCES = `
  with b as materialized (
    select * from balance where key_id > $1::uuid and ($2::uuid is null or key_id = $2::uuid) order by key_id limit $3::int
  ), h as (
    select h.key_id, count(*) as holds,
           sum(case b.unit when 'credit' then h.credits else h.tokens end) filter (where c.own = b.counter) as amount,
           sum(case b.unit when 'credit' then h.credits else h.tokens end)
             filter (where c.own = b.counter and h.admitted_at < b.period_from) as older
      from hold h join b on b.key_id = h.key_id left join chain c on c.id = h.chain group by h.key_id
  )
  select pg_current_snapshot()::text as snapshot, b.key_id as "keyId", b.key_no as "keyNo", b.counter as id, b.kind, b.unit,
         b.amount::bigint as amount, b.period_no as "periodNo", ${START("b.period_from")} as "periodFrom", b.fundings, b.posted, b.held,
         b.older_held as "olderHeld", b.used, b.funded, b.refunded, b.spent, b.requests, b.tokens_in as "inputTokens",
         b.tokens_out as "outputTokens", b.version, k.version as "keyVersion", coalesce(h.holds, 0) as holds,
         coalesce(h.amount, 0)::bigint as "holdSum", coalesce(h.older, 0)::bigint as "olderHoldSum"
    from (select 1) one left join b on true left join key k on k.id = b.key_id left join h on h.key_id = b.key_id
   order by b.key_id`;

/** Values: after, limit. */
const COUNTERS = `
  with c as materialized (select * from counter where id > $1::int order by id limit $2::int), h as (
    select c.id, sum(case c.unit when 'credit' then h.credits else h.tokens end) as amount,
           sum(case c.unit when 'credit' then h.credits else h.tokens end) filter (where h.admitted_at < c.period_from) as older
      from hold h cross join unnest(h.counters) u (id) join c on c.id = u.id group by c.id
  )
  select pg_current_snapshot()::text as snapshot, c.id, c.key_id as "keyId", c.account_id as "accountId", c.kind, c.unit,
         c.amount::bigint as amount, c.period_no as "periodNo", ${START("c.period_from")} as "periodFrom", c.fundings, c.posted, c.held,
         c.older_held as "olderHeld", c.used, c.funded, c.refunded, coalesce(h.amount, 0)::bigint as "holdSum",
         coalesce(h.older, 0)::bigint as "olderHoldSum"
    from (select 1) one left join c on true left join h on h.id = c.id order by c.id`;

/**
 * The first of the instants that knew of a row. Values $3: instants. Nearly all are older than all of them. What was written an hour ago is
 * known to all of them, and so is what another server wrote, from which these books were restored: its numbers mean nothing here.
 */
const NOW = `select pg_snapshot_xmax(pg_current_snapshot()) as xmax, pg_current_xact_id_if_assigned() as own,
  ledger_now() - interval '1 hour' as before,
  (select min(pg_snapshot_xmin(s)) from unnest($3::text[]::pg_snapshot[]) s) as xmin`;
const SEEN = (row: string): string => `
  case when ${row}.xid < now.xmin or ${row}.at < now.before or ${row}.xid >= now.xmax or ${row}.xid = now.own then 1
       else (select min(n)::int from unnest($3::text[]::pg_snapshot[]) with ordinality s (s, n) where pg_visible_in_snapshot(${row}.xid, s)) end`;

/** Free requests count no tokens. */
export const COUNTS_TOKENS = "(c.kind not in (3, 6) or c.credits > 0 or c.tokens > 0)";

/** Values: two ids, instants, beginnings of periods, and what else they are chosen by. */
export const CHARGES = (chosen: string): string => `
  with now as materialized (${NOW})
  select c.chain, c.key_no as "keyNo", width_bucket(c.admitted_at, $4::timestamptz[]) as era, ${SEEN("c")} as seen, count(*) as charges,
         count(*) filter (where c.kind in (1, 3, 4)) as requests, coalesce(sum(c.credits), 0)::bigint as credits,
         coalesce(sum(c.tokens), 0)::bigint as tokens, coalesce(sum(c.input) filter (where ${COUNTS_TOKENS}), 0) as "inputTokens",
         coalesce(sum(c.output) filter (where ${COUNTS_TOKENS}), 0) as "outputTokens", 0::bigint as "refundedCredits",
         0::bigint as "refundedTokens"
    from charge c cross join now where ${chosen} group by 1, 2, 3, 4`;

/** Values: after, limit, instants, beginnings of periods, the reference to go on after. What was undone takes its charge and earlier refunds of it out of the sums. */
const REFUNDS = (ofKey: string): string => `
  with now as materialized (${NOW}), piece as materialized (
    select * from refund where (hold_id, reference) > ($1::uuid, $5::text) ${ofKey} order by hold_id, reference limit $2::int
  ), per_chain as (
    select c.chain, c.key_no, width_bucket(c.admitted_at, $4::timestamptz[]) as era, ${SEEN("f")} as seen,
           -count(*) filter (where f.kind = 'void') as charges,
           -count(*) filter (where f.kind = 'void' and c.kind in (1, 3, 4)) as requests,
           -coalesce(sum(c.credits) filter (where f.kind = 'void'), 0)::bigint as credits,
           -coalesce(sum(c.tokens) filter (where f.kind = 'void'), 0)::bigint as tokens,
           -coalesce(sum(c.input) filter (where f.kind = 'void' and ${COUNTS_TOKENS}), 0) as input,
           -coalesce(sum(c.output) filter (where f.kind = 'void' and ${COUNTS_TOKENS}), 0) as output,
           coalesce(sum(case f.kind when 'refund' then f.credits else -e.credits end), 0)::bigint as refunded_credits,
           coalesce(sum(case f.kind when 'refund' then f.tokens else -e.tokens end), 0)::bigint as refunded_tokens
      from piece f cross join now join charge c on c.hold_id = f.hold_id
      cross join lateral (
        select sum(r.credits) as credits, sum(r.tokens) as tokens from refund r where r.hold_id = f.hold_id and r.kind = 'refund'
      ) e
     group by 1, 2, 3, 4
  )
  select (select count(*)::int from piece) as "pieceSize", last.hold_id as last, last.reference as "lastReference",
         p.chain, p.key_no as "keyNo", p.era, p.seen, p.charges, p.requests, p.credits, p.tokens, p.input as "inputTokens",
         p.output as "outputTokens", p.refunded_credits as "refundedCredits", p.refunded_tokens as "refundedTokens"
    from (select 1) one left join (select hold_id, reference from piece order by hold_id desc, reference desc limit 1) last on true
    left join per_chain p on true`;

/** Values: the counter to go on after, limit, instants, the place to go on after. */
const FUNDINGS = (ofKey: string): string => `
  with now as materialized (${NOW}), piece as materialized (
    select * from funding where (counter, seq) > ($1::int, $4::bigint) ${ofKey} order by counter, seq limit $2::int
  ), per_counter as (
    select f.counter, ${SEEN("f")} as seen, count(*) as fundings,
           coalesce(sum(f.amount) filter (where f.kind in ('purchase', 'grant', 'adjust')), 0)::bigint as paid_in,
           count(*) filter (where f.kind = 'turn') as turns, max(f.seq) filter (where f.kind = 'limit') as limit_seq,
           (array_agg(f.amount order by f.seq desc) filter (where f.kind = 'limit'))[1] as amount
      from piece f cross join now group by 1, 2
  )
  select (select count(*)::int from piece) as "pieceSize", last.counter as last, last.seq as "lastSeq",
         p.counter, p.seen, p.fundings, p.paid_in as "paidIn", p.turns, p.amount as "limit", p.limit_seq as "limitSeq"
    from (select 1) one left join (select counter, seq from piece order by counter desc, seq desc limit 1) last on true
    left join per_counter p on true`;

/** Values: after, the number of the key, limit. */
const CHAINS = `
  select id, own, counters from chain where id > $1::int and ($2::int is null or key_no = $2::int) order by id limit $3::int`;

const QUARANTINED = `select count(*)::int as count from quarantine q join hold h on h.id = q.hold_id
  where $1::uuid is null or q.key_id = $1::uuid`;

type OwnCounter = Omit<CounterRow, "accountId"> | { [Name in "id" | "kind" | "unit"]: null };
type BalanceRow = { snapshot: string } & ((KeyRow & OwnCounter) | { keyId: null });
type CounterPiece = { snapshot: string } & (CounterRow | { id: null });
type Piece<Row, Empty extends keyof Row> = { pieceSize: number; last: string | null } & (Row | Record<Empty, null>);

/** Reads the books for their verification. No statement looks at more than a few ten thousand rows. */
export function createVerifyStore(queryable: Queryable): VerifyStore {
  const ranges = createRanges(queryable);
  return {
    key: async (keyId) => {
      const sql = `select key_id as "keyId", key_no as "keyNo", counter from balance where key_id = $1`;
      const [key] = await queryable.query<VerifiedKey>(sql, [keyId]);
      invariant(key, "every key has a balance");
      return key;
    },
    balances: (after, key) => balances(queryable, after, key),
    counters: async (after) => {
      const rows = await queryable.query<CounterPiece>(COUNTERS, [after?.[0] ?? 0, ROWS_AT_ONCE]);
      const counters = rows.flatMap((row) => (row.id === null ? [] : [row]));
      const last = counters.at(-1);
      const next = last !== undefined && counters.length >= ROWS_AT_ONCE ? [last.id] : null;
      return { counters, keys: [], snapshot: firstOf(rows).snapshot, next };
    },
    charges: async (after, view) => {
      const range = "c.hold_id > $1::uuid and c.hold_id <= $2::uuid";
      const sql = CHARGES(view.key === null ? range : `${range} and c.key_no = $5::int`);
      const { rows, next } = await ranges(after, view.key, (range) => {
        const values = [range.after, range.until, view.snapshots, view.boundaries, ...keyNoOf(view)];
        return queryable.query<ChainSum>(sql, values);
      });
      return { rows, seen: rows.reduce((sum, { charges }) => sum + Number(charges), 0), next };
    },
    refunds: async (after, view) => {
      const sql = REFUNDS(view.key === null ? "" : "and key_no = $6::int");
      const values = [after?.[0] ?? FIRST_ID, ROWS_AT_ONCE, view.snapshots, view.boundaries, after?.[1] ?? ""];
      type Row = Piece<ChainSum, "chain"> & { lastReference: string | null };
      const rows = await queryable.query<Row>(sql, [...values, ...keyNoOf(view)]);
      const last = (row: Row) => [row.last ?? "", row.lastReference ?? ""];
      return sums(rows, { sum: chainSum, last, full: ROWS_AT_ONCE });
    },
    fundings: async (after, view) => {
      const sql = FUNDINGS(view.key === null ? "" : "and counter = $5::int");
      const values = [after?.[0] ?? 0, ROWS_AT_ONCE, view.snapshots, after?.[1] ?? 0];
      type Row = Piece<FundingSum, "counter"> & { lastSeq: bigint | null };
      const rows = await queryable.query<Row>(sql, [...values, ...(view.key === null ? [] : [view.key.counter])]);
      const last = (row: Row) => [row.last ?? "", String(row.lastSeq ?? 0n)];
      const sum = (row: Row): FundingSum | null => (row.counter === null ? null : row);
      return sums(rows, { sum, last, full: ROWS_AT_ONCE });
    },
    chains: async (after, key) => {
      type Row = { id: number; own: number; counters: number[] };
      const rows = await queryable.query<Row>(CHAINS, [after?.[0] ?? 0, key?.keyNo ?? null, ROWS_AT_ONCE]);
      const last = rows.at(-1);
      return { rows, seen: rows.length, next: last && rows.length >= ROWS_AT_ONCE ? [last.id] : null };
    },
    check: createChecks(queryable),
    recompute: createRecompute(queryable),
    rollups: createRollupCheck(queryable),
    quarantined: async (key) =>
      firstOf(await queryable.query<{ count: number }>(QUARANTINED, [key?.keyId ?? null])).count,
  };
}

const keyNoOf = ({ key }: View): number[] => (key === null ? [] : [key.keyNo]);

async function balances(queryable: Queryable, after: Cursor | null, key: VerifiedKey | null): Promise<Moment> {
  const rows = await queryable.query<BalanceRow>(BALANCES, [after?.[0] ?? FIRST_ID, key?.keyId ?? null, ROWS_AT_ONCE]);
  const keys = rows.flatMap((row) => (row.keyId === null ? [] : [row]));
  const last = keys.at(-1);
  return {
    keys,
    counters: keys.flatMap((row) => (row.id === null ? [] : [{ ...row, accountId: null }])),
    snapshot: firstOf(rows).snapshot,
    next: last !== undefined && keys.length >= ROWS_AT_ONCE ? [last.keyId] : null,
  };
}

/** The sums of a piece, which comes with at least one row: it says how far the piece went. */
function sums<Row extends { pieceSize: number }, Sum>(
  rows: readonly Row[],
  { sum, last, full }: { sum: (row: Row) => Sum | null; last: (row: Row) => Cursor; full: number },
): Chunk<Sum> {
  const first = firstOf(rows);
  return {
    rows: rows.flatMap((row) => sum(row) ?? []),
    seen: first.pieceSize,
    next: first.pieceSize >= full ? last(first) : null,
  };
}

const chainSum = (row: Piece<ChainSum, "chain">): ChainSum | null => (row.chain === null ? null : row);

export function firstOf<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  invariant(row !== undefined, "a piece is answered even when it is empty");
  return row;
}
