import { createId } from "../../src/core/ids.ts";
import type { Database, Queryable, Transaction } from "../../src/db/database.ts";
import { createDayStore } from "../../src/ledger/verify/days/day-store.ts";
import { type Books, charge, lookAtAll, settleLate, setClock, TODAY_MS } from "./verified-days.ts";

/** Null: the check did what it must. */
type Trial = { name: string; run: (books: Books) => Promise<string | null> };

const forbidden = (queryable: Queryable, sql: string): Promise<unknown> =>
  (queryable as Transaction).script(`set local session_replication_role = replica; ${sql}`);

/** After this, something like that must be found. */
const found = (name: string, sql: (books: Books) => string, expected: string): Trial => ({
  name: `${name} is found`,
  run: async (books) => {
    await forbidden(books.queryable, sql(books));
    const wrong = await lookAtAll(books.queryable);
    return wrong.some((one) => one.includes(expected)) ? null : `found: ${wrong.join("; ") || "nothing"}`;
  },
});

/** After this, nothing may be found. */
const quiet = (name: string, ...work: ((books: Books) => Promise<unknown>)[]): Trial => ({
  name,
  run: async (books) => {
    for (const one of work) {
      await one(books);
      const wrong = await lookAtAll(books.queryable);
      if (wrong.length > 0) return wrong.join("; ");
    }
    return null;
  },
});

const newest = "(select hold_id from charge where credits is not null order by hold_id desc limit 1)";
const copied = (id: string, change: string): string => `
  create temporary table planted on commit drop as select * from charge where hold_id = '${id}';
  update planted set ${change}; insert into charge select * from planted; drop table planted`;

/** What the day's look and the comparison of the balances are for. */
export const TRIALS: readonly Trial[] = [
  found(
    "a charge of today that was edited",
    () => `update charge set credits = 1 where hold_id = ${newest}`,
    "charge.credits",
  ),
  found(
    "a charge of today that was removed",
    () => `delete from charge where hold_id = ${newest}`,
    "balances: balance.requests",
  ),
  found(
    "a charge of today that was invented",
    ({ old }) => copied(old, `hold_id = '${createId(TODAY_MS)}', admitted_at = ledger_now(), at = ledger_now()`),
    "balances: balance.spent",
  ),
  found(
    "a charge of a verified day that was edited where no amount shows it",
    ({ old }) => `update charge set took_ms = 77 where hold_id = '${old}'`,
    "day: charges of 2026-01-05",
  ),
  found(
    "a charge of a verified day that was removed",
    ({ old }) => `delete from charge where hold_id = '${old}'`,
    "day: charges of 2026-01-05",
  ),
  found(
    "a charge that was invented in a verified day",
    ({ old }) => copied(old, `hold_id = '${createId(TODAY_MS - 172_800_000)}'`),
    "day: charges of 2026-01-05",
  ),
  found(
    "a charge that was removed with everything that counted it",
    ({ old, credit }) => `
      create temporary table gone on commit drop as select * from charge where hold_id = '${old}';
      delete from charge where hold_id = '${old}'; delete from refund;
      update balance set posted = funded - used + 43000, used = used - 43000, spent = spent - 43000, refunded = 0, requests = requests - 1,
                         tokens_in = tokens_in - 3, tokens_out = tokens_out - 4 where key_id = '${credit.keyId}';
      delete from usage_rollup where hour < '2026-01-06'; delete from usage_day where day < '2026-01-06'; drop table gone`,
    "day: charges of 2026-01-05",
  ),
  found(
    "a verified day that is gone with its partition",
    () => "alter table charge detach partition charge_20260105",
    "day: charges of 2026-01-05",
  ),
  found(
    "a counter that was edited",
    ({ credit }) => `update balance set used = used + 1, posted = posted - 1 where key_id = '${credit.keyId}'`,
    "balances: counter.used",
  ),
  found(
    "a limit that was edited",
    ({ token }) => `update balance set used = used + 1, posted = posted - 1 where key_id = '${token.keyId}'`,
    "balances: counter.used",
  ),
  found(
    "a sum by the hour that was edited",
    () => "update usage_rollup set requests = 9 where hour < '2026-01-06'",
    "day: usage_rollup.requests of 2026-01-05",
  ),
  {
    name: "what was found in a verified day stays until the day is as it was",
    run: async ({ queryable, old }) => {
      await forbidden(queryable, `update charge set took_ms = 77 where hold_id = '${old}'`);
      const [first, second] = [await lookAtAll(queryable), await lookAtAll(queryable)];
      const { mismatches } = await createDayStore(queryable).state();
      await forbidden(queryable, `update charge set took_ms = 2 where hold_id = '${old}'`);
      const mended = await lookAtAll(queryable);
      const counts = [first, second, mended].map(({ length }) => length);
      return JSON.stringify([counts, mismatches]) === "[[1,1,0],1]" ? null : JSON.stringify([counts, mismatches]);
    },
  },
  quiet("a request of a verified day that ends later is no mismatch", settleLate),
  quiet("a request that ended later is no mismatch once it is final, either", settleLate, ({ queryable }) =>
    setClock(queryable, TODAY_MS + 7_200_000),
  ),
  quiet(
    "charges that come while the day goes on are no mismatch",
    ...[1, 2_000_000, 4_000_000, 8_000_000].map((ms) => async ({ queryable, credit, token }: Books) => {
      await setClock(queryable, TODAY_MS + ms);
      for (const key of [credit, token]) await charge(queryable, key, TODAY_MS + ms);
    }),
  ),
  {
    name: "a process that has lost its turn writes nothing",
    run: async ({ queryable }) => {
      const tx = queryable as Transaction;
      await tx.script("update verification_turn set process_id = gen_random_uuid(); savepoint fenced");
      const outcome = await lookAtAll(queryable).then(
        () => "it wrote",
        () => null,
      );
      await tx.script("rollback to savepoint fenced");
      return outcome;
    },
  },
];

export type BrokenDays = {
  name: string;
  /** Begins the name of the trial that notices it. */
  noticedBy: string;
  from: string;
  to: string;
  /** A function of the schema; absent: a statement of the check. */
  fn?: string;
};

/** Of books that nobody touched, something is told. */
export const UNTOUCHED = "untouched";

/** One word wrong each. */
export const BROKEN_DAYS: readonly BrokenDays[] = [
  {
    name: "a digest that leaves out a column",
    noticedBy: "a charge of a verified day that was edited where no amount shows it",
    from: "c.took_ms, c.first_byte_ms",
    to: "c.first_byte_ms",
  },
  {
    name: "a digest of what is not final",
    noticedBy: "charges that come while the day goes on",
    from: "filter (where c.at < $4::timestamptz)",
    to: "filter (where $4::timestamptz is not null)",
  },
  {
    name: "an old digest of what came later",
    noticedBy: "a request that ended later is no mismatch once it is final",
    from: "case when c.at < $5::timestamptz then '+'",
    to: "case when $5::timestamptz is not null then '+'",
  },
  {
    name: "kept sums of what is not final",
    noticedBy: UNTOUCHED,
    from: "and c.at < $3::timestamptz group by",
    to: "and $3::timestamptz is not null group by",
  },
  {
    name: "what came later left out",
    noticedBy: UNTOUCHED,
    fn: "verify_later_v1",
    from: "and at >= %L limit",
    to: "and %L is null limit",
  },
  {
    name: "what came later counted whole",
    noticedBy: "a request of a verified day that ends later",
    from: "and c.at >= $5::timestamptz group by",
    to: "and $5::timestamptz is not null group by",
  },
  {
    name: "amounts that nobody compares",
    noticedBy: "a charge of today that was edited",
    from: "where j.price - coalesce(h.amount, 0) is distinct from j.charged",
    to: "where false",
  },
  {
    name: "hours that nobody compares",
    noticedBy: "a sum by the hour that was edited",
    from: "where at >= span.since and at < span.until",
    to: "where false and at < span.until",
  },
  {
    name: "holds that are not counted",
    noticedBy: UNTOUCHED,
    from: 'coalesce(h.amount, 0)::bigint as "holdSum"',
    to: '0::bigint as "holdSum"',
  },
  {
    name: "kept sums of all periods as one",
    noticedBy: "charges that come while the day goes on",
    fn: "verify_sums_v1",
    from: "width_bucket(s.admitted::timestamp at time zone 'UTC', p_boundaries)",
    to: "0",
  },
  {
    name: "kept sums that leave out a chain",
    noticedBy: UNTOUCHED,
    fn: "verify_sums_v1",
    from: "s.chain <= last.chain",
    to: "s.chain < last.chain",
  },
  {
    name: "days of the default partition left out",
    noticedBy: UNTOUCHED,
    fn: "verify_days_v1",
    from: "from other where hold_id is not null\n",
    to: "from other where false\n",
  },
  {
    name: "days without a partition forgotten",
    noticedBy: "a verified day that is gone with its partition",
    fn: "verify_days_v1",
    from: "select v.day from verified_day v\n",
    to: "select v.day from verified_day v where false\n",
  },
  {
    name: "evidence that is overwritten",
    noticedBy: "what was found in a verified day stays",
    fn: "verify_day_v1",
    from: "if p_digest is null then return; end if;",
    to: "if p_digest is null then update verified_day v set digest = null where v.day = v_day; return; end if;",
  },
  {
    name: "a process that is not asked for its turn",
    noticedBy: "a process that has lost its turn",
    fn: "verify_is_mine",
    from: "if not found then",
    to: "if false then",
  },
];

/** Breaks a function where that is what is broken. */
export async function breakDays(database: Database, { fn, from, to }: BrokenDays): Promise<boolean> {
  if (fn === undefined) return true;
  const sql = "select pg_get_functiondef(oid) as sql from pg_proc where proname = $1";
  const [row] = await database.query<{ sql: string }>(sql, [fn]);
  if (!row?.sql.includes(from)) return false;
  await database.script(row.sql.replace(from, to));
  return true;
}

/** Breaks a statement where that is what is broken. */
export const broken = <Of extends Queryable>(queryable: Of, { fn, from, to }: BrokenDays): Of =>
  fn === undefined
    ? { ...queryable, query: (sql, values, how) => queryable.query(sql.replace(from, to), values, how) }
    : queryable;
