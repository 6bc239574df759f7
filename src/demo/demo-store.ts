import type { Database, Transaction } from "../db/database.ts";
import type { DemoCharge } from "./answer-call.ts";
import type { BookCounter, BookKey } from "./books.ts";

/** What the seeding does to the database beside what operators and the gateway do. */
export type DemoStore = {
  /** From now on the database takes this for the present; null: what its clock says. */
  setClock: (nowMs: number | null) => Promise<void>;
  /** Gives the day that begins then its partition of the journal. */
  prepareDay: (dayMs: number) => Promise<void>;
  /** Begins the periods that are due, and reads all keys with their counters. */
  openBooks: () => Promise<BookKey[]>;
  /** Writes charges, moves what they move, and tells what passed a threshold. `refusedBy`: counters that rejected a request. */
  book: (charges: readonly DemoCharge[], refusedBy: readonly number[]) => Promise<void>;
  refund: (charge: {
    keyId: string;
    holdId: string;
    credits: bigint;
    reference: string;
    actor: string;
  }) => Promise<void>;
  routeIds: () => Promise<ReadonlyMap<string, string>>;
  /** The price that holds today, where another held before. */
  addPrice: (price: { model: string; fromMs: number; inputNano: bigint; outputNano: bigint }) => Promise<void>;
  /** Gives what operators have just made the date of the clock. */
  dateBack: () => Promise<void>;
  /** Adds up what follows from the charges, and makes everything as old as it says. */
  finish: (fromMs: number) => Promise<void>;
};

const CLOCK = (body: string): string =>
  `create or replace function ledger_now() returns timestamptz language sql volatile as '${body}'`;

const BOOKS = `
  select b.key_id as "keyId", b.key_no as "keyNo", b.chain, coalesce(k.label, '') as label, case when a.lone then '{}' else a.path end as accounts,
         (select jsonb_agg(jsonb_build_object('id', c.id, 'kind', c.kind, 'unit', c.unit, 'amount', c.amount::text, 'posted', c.posted::text,
                    'period', c.period, 'renewsAtMs', case when c.period_ends_at < 'infinity' then extract(epoch from c.period_ends_at) * 1000 end,
                    'holder', h.name) order by c.id)
            from counter_anywhere c left join account h on h.id = c.account_id
           where c.closed_at is null and (c.id = b.counter or c.id = any (b.counters))) as counters
    from balance b join key k on k.id = b.key_id join account a on a.id = k.account_id order by b.key_no`;

const TURN = `
  select periods_turned(o.keys, o.counters, locked(o.keys, o.counters))
    from (select array(select key_id from balance order by key_id) as keys,
                 array(select id from counter where closed_at is null order by id) as counters offset 0) o
   where exists (select from counter_anywhere where closed_at is null and period_ends_at <= ledger_now())`;

const CHARGED = `json_to_recordset($1::json) r (
  "holdId" uuid, admitted timestamptz, at timestamptz, granted_credits bigint, granted_tokens bigint, credits bigint, tokens bigint, key_no int, chain int,
  model text, price_version int, input int, cache_read int, cache_write int, output int, reasoning int, took_ms int, first_byte_ms int, provider text,
  status int, kind text, failed_credits bigint, failed_tokens bigint)`;

const INSERT = `
  insert into charge (hold_id, admitted_at, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, model, price_version, input,
                      cache_read, cache_write, output, reasoning, took_ms, first_byte_ms, provider, status, kind, estimated, reported)
  select "holdId", admitted, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, m.no, price_version, input, nullif(cache_read, 0),
         nullif(cache_write, 0), output, nullif(reasoning, 0), took_ms, first_byte_ms, p.no, r.status, k.no, r.kind = 'client_gone', r.kind <> 'client_gone'
    from ${CHARGED} join word m on m.word = r.model join word p on p.word = r.provider join charge_kind k on k.name = r.kind`;

const ABSORBED = `
  insert into house (hold_id, kind, unit, key_id, amount, at)
  select "holdId", 'failed', u.unit, b.key_id, u.amount, r.at
    from ${CHARGED} join balance b on b.key_no = r.key_no
   cross join lateral (values ('credit', r.failed_credits), ('tokens', r.failed_tokens)) u (unit, amount) where u.amount > 0`;

/** As the ledger does when a request is settled. All of them were admitted in the present period. */
const KEYS = `
  with sums as (
    select key_no, coalesce(sum(credits), 0)::bigint as credits, coalesce(sum(tokens), 0)::bigint as tokens,
           count(*) filter (where kind <> 'client_gone') as requests,
           coalesce(sum(input) filter (where kind <> 'upstream_failed'), 0)::bigint as input,
           coalesce(sum(output) filter (where kind <> 'upstream_failed'), 0)::bigint as output, max(at) as at,
           (array_agg(credits order by at desc) filter (where kind <> 'client_gone'))[1] as last_credits,
           (array_agg(tokens order by at desc) filter (where kind <> 'client_gone'))[1] as last_tokens
      from ${CHARGED} group by key_no
  )
  update balance b
     set used = b.used + o.paid,
         posted = case b.kind when 'purse' then b.posted - o.paid
                              when 'limit' then greatest(b.amount + b.refunded - b.used - o.paid + b.older_held, b.held) else 0 end,
         spent = b.spent + s.credits, today = o.day, today_spend = o.spend + case when b.today = o.day then b.today_spend else 0 end,
         last_cost = coalesce(case b.mode_unit when 'credit' then s.last_credits else s.last_tokens end, b.last_cost),
         requests = b.requests + s.requests, tokens_in = b.tokens_in + s.input, tokens_out = b.tokens_out + s.output
    from sums s join balance k on k.key_no = s.key_no
   cross join lateral (select case k.unit when 'credit' then s.credits when 'tokens' then s.tokens else 0 end as paid,
                              case k.mode_unit when 'credit' then s.credits else s.tokens end as spend, (s.at at time zone 'UTC')::date as day) o
   where b.key_no = s.key_no`;

const COUNTERS = `
  with sums as (
    select u.id, coalesce(sum(r.credits), 0)::bigint as credits, coalesce(sum(r.tokens), 0)::bigint as tokens
      from ${CHARGED} join chain h on h.id = r.chain cross join unnest(h.counters) u (id) group by u.id
  )
  update counter c
     set used = c.used + o.paid,
         posted = case c.kind when 'purse' then c.posted - o.paid
                              else greatest(c.amount + c.refunded - c.used - o.paid + c.older_held, c.held) end
    from sums s join counter k on k.id = s.id
   cross join lateral (select case k.unit when 'credit' then s.credits else s.tokens end as paid) o
   where c.id = s.id`;

const PASSED = `
  select thresholds_passed(array_agg(id), $1::timestamptz) from counter_anywhere
   where closed_at is null and case kind when 'limit' then used - refunded >= due else posted <= due end`;

/** Charges added up by the hour and the day, as the keeper of the sums does. */
export const ADDED_UP = `
  insert into usage_rollup
  select date_trunc('hour', at, 'UTC'), chain, coalesce(model, 0), kind, count(*), coalesce(sum(credits), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
         sum(input)::bigint, coalesce(sum(cache_read), 0)::bigint, coalesce(sum(cache_write), 0)::bigint, sum(output)::bigint,
         coalesce(sum(reasoning), 0)::bigint
    from charge group by 1, 2, 3, 4;
  insert into usage_day
  select date_trunc('day', hour, 'UTC'), chain, model, kind, sum(requests), sum(credits), sum(tokens), sum(input), sum(cache_read),
         sum(cache_write), sum(output), sum(reasoning)
    from usage_rollup where hour < date_trunc('day', now(), 'UTC') group by 1, 2, 3, 4`;

/** What was made a moment ago was made at the moment that the clock shows. */
const DATED = `
  update account set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update key set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update model set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update provider set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update key_secret set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute'`;

export function createDemoStore(database: Pick<Database, "query" | "transaction" | "script">): DemoStore {
  return {
    setClock: (nowMs) =>
      database.script(
        CLOCK(nowMs === null ? "select clock_timestamp()" : `select ''${new Date(nowMs).toISOString()}''::timestamptz`),
      ),
    prepareDay: async (dayMs) => {
      await database.query("select partition_v1($1::date)", [new Date(dayMs).toISOString().slice(0, 10)]);
    },
    openBooks: async () => {
      await database.query(TURN);
      const rows = await database.query<BookRow>(BOOKS);
      return booksOf(rows);
    },
    book: (charges, refusedBy) =>
      database.transaction(async (tx) => {
        const lastMs = charges.reduce((last, { atMs }) => Math.max(last, atMs), 0);
        if (charges.length > 0) await write(tx, charges);
        const at = lastMs === 0 ? null : new Date(lastMs);
        await tx.query(PASSED.replace("$1::timestamptz", "coalesce($1::timestamptz, ledger_now())"), [at]);
        if (refusedBy.length > 0)
          await tx.query("select refusal_told($1::int[], coalesce($2::timestamptz, ledger_now()), false)", [
            refusedBy,
            at,
          ]);
      }),
    refund: async ({ keyId, holdId, credits, reference, actor }) => {
      await database.query("select refund_v1($1, $2, $3, $4, null, $5)", [keyId, reference, holdId, credits, actor]);
    },
    routeIds: async () => {
      type Row = { id: string; model: string; provider: string; dialect: string };
      const rows = await database.query<Row>(`select id, model_id as model, provider, dialect from route`);
      return new Map(rows.map(({ id, model, provider, dialect }) => [`${model} ${provider} ${dialect}`, id]));
    },
    addPrice: async ({ model, fromMs, inputNano, outputNano }) => {
      await database.query(
        `insert into price (model_id, version, effective_from, input_nano, output_nano, cache_read_nano, cache_write_5m_nano, cache_write_1h_nano)
         values ($1, 2, $2, $3::bigint, $4, $3::bigint / 10, $3::bigint * 5 / 4, $3::bigint * 2)`,
        [model, new Date(fromMs), inputNano, outputNano],
      );
    },
    dateBack: () => database.script(DATED),
    finish: async (fromMs) => {
      await database.script(ADDED_UP);
      // The books are as old as what is in them, so that a verification looks at all of it.
      await database.query("update migration set applied_at = $1", [new Date(fromMs)]);
      await database.script("analyze series, series_total, usage_rollup, usage_day");
    },
  };
}

type CounterRow = Omit<BookCounter, "amount" | "posted"> & { amount: string; posted: string };
type BookRow = Omit<BookKey, "counters"> & { counters: CounterRow[] | null };

/** A counter that several keys share is one object. */
function booksOf(rows: readonly BookRow[]): BookKey[] {
  const shared = new Map<number, BookCounter>();
  const counterOf = (row: CounterRow): BookCounter => {
    const known = shared.get(row.id) ?? { ...row, amount: BigInt(row.amount), posted: BigInt(row.posted) };
    shared.set(row.id, known);
    return known;
  };
  return rows.map((row) => ({ ...row, counters: (row.counters ?? []).map(counterOf) }));
}

async function write(tx: Transaction, charges: readonly DemoCharge[]): Promise<void> {
  const words = [...new Set(charges.flatMap(({ model, provider }) => [model, provider]))];
  await tx.query("select from words_v1($1::text[])", [words]);
  const json = JSON.stringify(charges.map(rowOf));
  const hasFailed = charges.some(({ failed }) => failed.credits !== null || failed.tokens !== null);
  for (const sql of [INSERT, ...(hasFailed ? [ABSORBED] : []), KEYS, COUNTERS]) await tx.query(sql, [json]);
}

const text = (amount: bigint | null): string | null => (amount === null ? null : String(amount));

const rowOf = ({ key, granted, paid, usage, failed, ...charge }: DemoCharge): object => ({
  holdId: charge.holdId,
  admitted: new Date(charge.admittedMs).toISOString(),
  at: new Date(charge.atMs).toISOString(),
  granted_credits: text(granted.credits),
  granted_tokens: text(granted.tokens),
  credits: text(paid.credits),
  tokens: text(paid.tokens),
  key_no: key.keyNo,
  chain: key.chain,
  model: charge.model,
  price_version: charge.priceVersion,
  input: usage.inputTokens,
  cache_read: usage.cacheReadTokens,
  cache_write: usage.cacheWriteTokens,
  output: usage.outputTokens,
  reasoning: usage.reasoningTokens,
  took_ms: charge.tookMs,
  first_byte_ms: charge.firstByteMs,
  provider: charge.provider,
  status: charge.status,
  kind: charge.kind,
  failed_credits: text(failed.credits),
  failed_tokens: text(failed.tokens),
});
