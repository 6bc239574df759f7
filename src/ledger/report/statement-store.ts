import { requestIdOf } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";
import type { ReadStatement, StatementFunding, StatementLine, StatementRefund } from "./statement.ts";
import { partsOf } from "./usage-parts-store.ts";

const MOST_ROWS = 10_000;
const WHOLE = "(count(*) over ())::int as count, (sum(credits) over ())::bigint as whole";

/** Values: account, month. `wanted` are the chains whose charges are stated: those that its purse paid for, or all below it. */
const MONTH = `
  with month as (select ($2 || '-01')::timestamp at time zone 'UTC' as since, (($2 || '-01')::timestamp + interval '1 month') at time zone 'UTC' as until)
  select c.id as purse, m.until > ledger_now() as running, m.since > ledger_now() as "notYet"
    from month m left join lateral (
      select id from counter where account_id = $1 and kind = 'purse' order by closed_at nulls first, id desc limit 1
    ) c on true`;

const sumsOf = (asked: string): string => `
  with asked as materialized (${asked}), ${partsOf("account", { fresh: true })}, stated as materialized (
    select w.id, w.key_id from wanted w join chain h on h.id = w.id where $3::int is null or $3::int = any (h.counters)
  )`;

const SPAN = `select ($2 || '-01')::timestamp at time zone 'UTC' as since,
  least((($2 || '-01')::timestamp + interval '1 month') at time zone 'UTC', ledger_now() + interval '1 second') as until`;
const BEFORE = `select '-infinity'::timestamptz as since, ($2 || '-01')::timestamp at time zone 'UTC' as until`;

const LINES = `${sumsOf(SPAN)}
  select s.key_id as "keyId", coalesce(nullif(k.label, ''), (select prefix || '…' from key_secret where key_id = k.id order by created_at desc limit 1),
         s.key_id::text) as key, coalesce(m.word, '') as model, s.requests, s.credits, s.tokens, s.input as "inputTokens", s.output as "outputTokens",
         ${WHOLE}
    from (
      select w.key_id, p.model, sum(p.requests)::bigint as requests, sum(p.credits)::bigint as credits, sum(p.tokens)::bigint as tokens,
             sum(p.input)::bigint as input, sum(p.output)::bigint as output
        from part p join stated w on w.id = p.chain group by 1, 2
    ) s left join key k on k.id = s.key_id left join word m on m.no = s.model
   order by s.credits desc, s.tokens desc, 2, 3 limit ${MOST_ROWS}`;

const CHARGED_BEFORE = `${sumsOf(BEFORE)}
  select coalesce(sum(p.credits), 0)::bigint as credits from part p join stated w on w.id = p.chain`;

/** Refunds of charges that were undone since count no more, as those charges. */
const REFUNDS = (which: string): string => `
  with stated as materialized (
    select h.id, h.key_id from chain h where h.accounts @> array[$1::uuid] and ($3::int is null or $3::int = any (h.counters))
  ), given as (
    select f.*, s.key_id from stated s join refund f on f.chain = s.id
     where f.kind = 'refund' and not exists (select from refund v where v.hold_id = f.hold_id and v.kind = 'void')
  ) ${which}`;
const REFUNDED_BEFORE = REFUNDS(
  `select coalesce(sum(credits), 0)::bigint as credits from given, (${BEFORE}) span where at < span.until`,
);
const REFUNDED = REFUNDS(`
  select at, key_id as "keyId", hold_id as "requestId", credits::bigint as credits, tokens::bigint as tokens, reference, actor, ${WHOLE}
    from given, (${SPAN}) span where at >= span.since and at < span.until order by at, reference limit ${MOST_ROWS}`);

const FUNDED_BEFORE = `select coalesce(sum(f.amount), 0)::bigint as credits from funding f, (${BEFORE}) span
  where $1::uuid is not null and f.counter = $3 and f.kind in ('purchase', 'grant', 'adjust') and f.at < span.until`;
const FUNDED = `select f.at, f.kind, f.amount, f.reference, f.actor, (count(*) over ())::int as count,
  (sum(f.amount) over ())::bigint as whole from funding f, (${SPAN}) span
  where $1::uuid is not null and f.counter = $3 and f.kind in ('purchase', 'grant', 'adjust') and f.at >= span.since and f.at < span.until
  order by f.seq limit ${MOST_ROWS}`;

type Whole = { count: number; whole: bigint | null };
type Month = { purse: number | null; running: boolean; notYet: boolean };

export const createReadStatement =
  (queryable: Queryable): ReadStatement =>
  async (accountId, month) => {
    const [known] = await queryable.query<Month>(MONTH, [accountId, month]);
    invariant(known, "a month is known");
    if (known.notYet) return null;
    const values = [accountId, month, known.purse];
    const one = async (sql: string): Promise<bigint> =>
      (await queryable.query<{ credits: bigint }>(sql, values))[0]?.credits ?? 0n;
    const lines = listed(await queryable.query<StatementLine & Whole>(LINES, values));
    const refunds = listed(await queryable.query<StatementRefund & { at: Date } & Whole>(REFUNDED, values));
    const fundings = listed(await queryable.query<StatementFunding & { at: Date } & Whole>(FUNDED, values));
    const [funded, charged, refunded] = [fundings.whole, lines.whole, refunds.whole];
    const opening =
      known.purse === null
        ? null
        : (await one(FUNDED_BEFORE)) - (await one(CHARGED_BEFORE)) + (await one(REFUNDED_BEFORE));
    const closing = opening === null ? null : opening + funded - charged + refunded;
    return {
      month,
      running: known.running,
      opening,
      funded,
      charged,
      refunded,
      closing,
      fundings: fundings.rows.map(({ at, ...funding }) => ({ ...funding, atMs: at.getTime() })),
      lines: lines.rows,
      refunds: refunds.rows.map(({ at, requestId, ...refund }) => ({
        ...refund,
        atMs: at.getTime(),
        requestId: requestIdOf(requestId),
      })),
      more: { fundings: fundings.more, lines: lines.more, refunds: refunds.more },
    };
  };

/** Every row says how many there are and what they come to, of which only the first are read. */
function listed<Row extends Whole>(rows: readonly Row[]) {
  const { count = 0, whole = null } = rows[0] ?? {};
  return {
    rows: rows.map(({ count: _count, whole: _whole, ...row }) => row),
    whole: whole ?? 0n,
    more: count - rows.length,
  };
}
