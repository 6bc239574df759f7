import { invariant } from "../../core/invariant.ts";
import { sqlStateOf } from "../../db/database-error.ts";
import type { Queryable } from "../../db/database.ts";
import { partsOf } from "./usage-parts-store.ts";
import type { UsageGroup } from "../../core/money/usage-group.ts";
import type { ReadUsage, UsageScope, UsageSum, UsageSums } from "./usage-report.ts";

/** What PostgreSQL says of a statement that it stopped. */
const CANCELLED = "57014";

/** The dearest of them; the days have all. */
const MOST_GROUPS = 1_000;

/** What a row of `part` counts to, with its chain at hand as `h`, and how a group is called. */
const GROUPS: Record<UsageGroup, { group: string; name: string }> = {
  model: { group: "p.model", name: "(select word from word where no = s.gid)" },
  key: {
    group: "h.key_id",
    name: `coalesce((select nullif(label, '') from key where id = s.gid),
      (select prefix || '…' from key_secret where key_id = s.gid order by created_at desc limit 1), s.gid::text)`,
  },
  label: { group: "coalesce((select label from key where id = h.key_id), '')", name: "s.gid" },
  account: {
    group: `(h.accounts[least(coalesce(array_position(h.accounts, $1::uuid), 0) + 1, cardinality(h.accounts))])`,
    name: "(select name from account where id = s.gid)",
  },
};

/** Values: key or account, days. */
function sqlOf(scope: UsageScope, by: UsageGroup, fresh: boolean): string {
  const { group, name } = GROUPS[by];
  const groups = by === "model" ? "" : `, grouped as materialized (select h.id, ${group} as gid from wanted h)`;
  const [named, whose] = by === "model" ? ["p.model", ""] : ["g.gid", "join grouped g on g.id = p.chain"];
  return `
  with asked as materialized (
    select date_trunc('day', n.now, 'UTC') - ($2::int - 1) * interval '1 day' as since, n.now + interval '1 second' as until,
           n.now as today
      from (select ledger_now() as now offset 0) n
  ), ${partsOf(scope.kind, { fresh })}${groups}, both_ways as (
    select p.day, ${named} as gid, sum(p.requests)::bigint as requests, sum(p.credits)::bigint as credits, sum(p.tokens)::bigint as tokens,
           coalesce(sum(p.requests) filter (where p.kind in (2, 5)), 0)::bigint as cut_off, sum(p.input)::bigint as input,
           sum(p.output)::bigint as output
      from part p ${whose} group by grouping sets ((1), (2))
  ), ranked as (
    select b.*, row_number() over (partition by day is null order by credits desc, tokens desc, requests desc, gid) as place,
           (count(*) over (partition by day is null))::int as count
      from both_ways b
  )
  select to_char(asked.today at time zone 'UTC', 'YYYY-MM-DD') as today, to_char(s.day at time zone 'UTC', 'YYYY-MM-DD') as day,
         s.gid::text as "group", case when s.gid is not null then ${name} end as name, s.requests, s.credits, s.tokens, s.cut_off as "cutOff",
         s.input as "inputTokens", s.output as "outputTokens",
         s.count
    from asked left join ranked s on s.day is not null or s.place <= ${MOST_GROUPS}`;
}

type Row = { today: string; count: number | null } & (UsageSum | (Omit<UsageSum, "requests"> & { requests: null }));

/** The newest hours are read from the charges; where that takes too long, as they were last added up, some minutes ago. */
export const createReadUsage =
  (queryable: Queryable): ReadUsage =>
  async ({ scope, days, by }) => {
    const values = [scope.kind === "all" ? null : scope.id, days];
    const read = async (fresh: boolean): Promise<UsageSums> => {
      const rows = await queryable.query<Row>(sqlOf(scope, by, fresh), values);
      const [first] = rows;
      invariant(first, "there is always a today");
      const groups = rows.find(({ group }) => group !== null)?.count ?? 0;
      return { today: first.today, groups, sums: rows.flatMap((row) => (row.requests === null ? [] : [row])) };
    };
    try {
      return await read(true);
    } catch (error) {
      if (sqlStateOf(error) !== CANCELLED) throw error;
      return read(false);
    }
  };
