import type { PriceCheck } from "../core/catalogue/price-check.ts";
import type { Queryable } from "../db/database.ts";

type Found = NonNullable<PriceCheck["found"]>;

/** What a check comes to. */
export type PriceCheckEnd = { problem: string } | { found: Pick<Found, "models" | "differences" | "unlisted"> };

type Wait = {
  /** After one that did not fail, unless a price was changed since. */
  everyMs: number;
  /** After one that failed. */
  retryMs: number;
  /** After any, whatever happened: no number of processes, settings and changes makes more. A check that took longer is taken for lost. */
  leastMs: number;
};

/** What checks of the price list have found, in the database, so that one process at a time checks. */
export type PriceCheckStore = {
  /** Null: none is due, or another process has taken it. Else a word for `end`. */
  take: (check: { list: string; terms: string }, wait: Wait) => Promise<string | null>;
  /** `changed`: it differs from what the one before found. `lost`: another has been begun meanwhile, and this one is not written down. */
  end: (taken: string, end: PriceCheckEnd) => Promise<"changed" | "same" | "lost">;
  read: () => Promise<PriceCheck | null>;
  /** What was found is of no use once nothing is checked. */
  forget: () => Promise<void>;
};

type Row = {
  list: string;
  taken_at: Date;
  problem: string | null;
  failing_since: Date | null;
  found_at: Date | null;
  changed_at: Date | null;
  found: Pick<Found, "models" | "differences" | "unlisted"> | null;
  stale: boolean;
};

const MS = "interval '1 millisecond'";

/** Of other terms nothing is known: what was found of those before would be taken for what is found of these. */
const TAKE = `
  insert into price_check as p (list, terms, taken_at) values ($1, $2, clock_timestamp())
  on conflict (id) do update
    set list = excluded.list, taken_at = excluded.taken_at, terms = excluded.terms,
        ended_at = case when p.terms = excluded.terms then p.ended_at end,
        problem = case when p.terms = excluded.terms then p.problem end,
        failing_since = case when p.terms = excluded.terms then p.failing_since end,
        found_at = case when p.terms = excluded.terms then p.found_at end,
        changed_at = case when p.terms = excluded.terms then p.changed_at end,
        found = case when p.terms = excluded.terms then p.found end
    where p.taken_at <= excluded.taken_at - $5::bigint * ${MS}
      and (p.terms <> excluded.terms
        or p.ended_at is null or p.ended_at < p.taken_at
        or p.taken_at <= excluded.taken_at - (case when p.problem is null then $3::bigint else $4::bigint end) * ${MS}
        or p.problem is null and exists (select from price where created_at > p.taken_at))
  returning taken_at::text as taken`;

const FAILED = `
  update price_check set ended_at = clock_timestamp(), problem = $2, failing_since = coalesce(failing_since, clock_timestamp())
   where taken_at = $1::timestamptz returning 'same' as result`;

const FOUND = `
  update price_check p
     set ended_at = clock_timestamp(), problem = null, failing_since = null, found_at = clock_timestamp(), found = $2::jsonb,
         changed_at = case when before.found is distinct from $2::jsonb then clock_timestamp() else p.changed_at end
    from (select found from price_check) before
   where p.taken_at = $1::timestamptz
  returning case when before.found is distinct from $2::jsonb then 'changed' else 'same' end as result`;

const READ = `
  select list, taken_at, problem, failing_since, found_at, changed_at, found,
         exists (select from price where created_at > p.taken_at) as stale
    from price_check p`;

export const createPriceCheckStore = (queryable: Queryable): PriceCheckStore => ({
  take: async ({ list, terms }, { everyMs, retryMs, leastMs }) => {
    const rows = await queryable.query<{ taken: string }>(TAKE, [list, terms, everyMs, retryMs, leastMs]);
    return rows[0]?.taken ?? null;
  },
  end: async (taken, end) => {
    const [row] =
      "problem" in end
        ? await queryable.query<{ result: "same" }>(FAILED, [taken, end.problem])
        : await queryable.query<{ result: "changed" | "same" }>(FOUND, [taken, JSON.stringify(end.found)]);
    return row?.result ?? "lost";
  },
  forget: async () => void (await queryable.query("delete from price_check", [])),
  read: async () => {
    const [row] = await queryable.query<Row>(READ, []);
    return row === undefined ? null : checkOf(row);
  },
});

const checkOf = (row: Row): PriceCheck => ({
  list: row.list,
  atMs: row.taken_at.getTime(),
  problem: row.problem,
  failingSinceMs: row.failing_since?.getTime() ?? null,
  found:
    row.found === null || row.found_at === null
      ? null
      : {
          ...row.found,
          atMs: row.found_at.getTime(),
          sinceMs: (row.changed_at ?? row.found_at).getTime(),
          isStale: row.stale,
        },
});
