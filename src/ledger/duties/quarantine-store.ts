import { invariant } from "../../core/invariant.ts";
import { LINE, type Queryable } from "../../db/database.ts";
import type { QuarantinedHold, QuarantineStore, Released } from "./quarantine.ts";

const SINCE_US = "(extract(epoch from q.since) * 1000000)::bigint";

/** What was ended meanwhile by whoever held it is not listed; the next sweep removes its row. */
const LIST = `
  select h.id, h.key_id as "keyId", b.mode_unit as unit,
         coalesce(case b.mode_unit when 'credit' then h.credits else h.tokens end, 0)::bigint as amount,
         case b.mode_unit when 'credit' then h.checkpoint_credits
                          else coalesce(h.checkpoint_usage[1]::bigint + h.checkpoint_usage[5], 0) end as cost,
         coalesce(w.word, '') as model, h.admitted_at as "admittedAt", q.since, ${SINCE_US} as "sinceUs", q.code, q.reason
    from quarantine q join hold h on h.id = q.hold_id left join balance b on b.key_id = h.key_id left join word w on w.no = h.model
   where $2::bigint is null or (${SINCE_US}, h.id) > ($2::bigint, $3::uuid)
   order by q.since, h.id limit $1`;

/** Counted no further: beyond this, what matters is that there are many. */
const MOST_COUNTED = 10_000;
const COUNT = `select count(*)::int as total from (
  select from quarantine q join hold h on h.id = q.hold_id limit ${MOST_COUNTED}
) counted`;

/** The statement still sees the hold that the call in it removes. */
const RELEASE = `
  with called as materialized (select * from release_v1(on_line_v1($4::uuid, $1::uuid), $2, $3))
  select c.result, b.mode_unit as unit, case b.mode_unit when 'credit' then c.credits else c.tokens end as charged, c.code, c.reason
    from called c left join hold h on h.id = $1::uuid left join balance b on b.key_id = h.key_id`;

export function createQuarantineStore(queryable: Queryable): QuarantineStore {
  return {
    list: async ({ limit, after }) => {
      const holds = await queryable.query<QuarantinedHold>(LIST, [limit, after?.sinceUs ?? null, after?.id ?? null]);
      const [count] = await queryable.query<{ total: number }>(COUNT);
      invariant(count, "a count is answered");
      return { holds, total: count.total };
    },
    release: async (id, { end, actor }) => {
      const [row] = await queryable.query<Released>(RELEASE, [id, end === "void", actor, LINE]);
      invariant(row, "a release is answered");
      return row;
    },
  };
}
