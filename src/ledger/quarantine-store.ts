import { invariant } from "../core/invariant.ts";
import { LINE, type Queryable } from "../db/database.ts";
import type { QuarantinedHold, QuarantineStore, Released } from "./quarantine.ts";

const SINCE_US = "(extract(epoch from q.since) * 1000000)::bigint";

/** What was ended meanwhile by whoever held it is not listed; the next sweep removes its row. */
const LIST = `
  select h.id, h.key_id as "keyId", b.unit, h.amount, h.checkpoint_cost as cost, h.model, h.admitted_at as "admittedAt",
         q.since, ${SINCE_US} as "sinceUs", q.code, q.reason
    from quarantine q join hold h on h.id = q.hold_id left join balance b on b.key_id = h.key_id
   where $2::bigint is null or (${SINCE_US}, h.id) > ($2::bigint, $3::uuid)
   order by q.since, h.id limit $1`;

const COUNT = "select count(*)::int as total from quarantine q join hold h on h.id = q.hold_id";

const RELEASE = `select result, unit, charged, code, reason from release_v1(on_line_v1($4::uuid, $1::uuid), $2, $3)`;

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
