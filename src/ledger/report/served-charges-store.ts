import type { Queryable } from "../../db/database.ts";
import type { ReadServed, ServedRow } from "./served-charges.ts";

/**
 * Values: from, to, the id that the last page ended with, limit. Ids begin with the time of their request, and no request runs for a day, so
 * that only three days of ids are walked.
 */
const SQL = `
  select c.hold_id as "holdId", c.admitted_at as "admittedAt", c.at, coalesce(s.provider, p.word) as provider, s.upstream_model as "upstreamModel",
         s.credential, coalesce(s.tier, 'default') as tier, coalesce(s.region, 'any') as region, k.name as kind, c.estimated,
         c.input as "inputTokens", coalesce(c.cache_read, 0) as "cacheReadTokens", coalesce(c.cache_write, 0) as "cacheWriteTokens",
         coalesce(c.cache_write_1h, 0) as "cacheWrite1hTokens", c.output as "outputTokens", coalesce(c.reasoning, 0) as "reasoningTokens",
         coalesce(c.more -> 'parts', '{}') as parts,
         coalesce((select jsonb_object_agg(w.word, t.value::int) from jsonb_each_text(c.tools) t join word w on w.no = t.key::int), '{}') as "toolCalls"
    from charge c join charge_kind k on k.no = c.kind left join served s on s.no = c.served left join word p on p.no = c.provider
   where c.hold_id > coalesce($3::uuid, uuid_floor($1::timestamptz - interval '1 day')) and c.hold_id < uuid_floor($2::timestamptz + interval '1 day')
     and c.at >= $1::timestamptz and c.admitted_at <= $2::timestamptz
     and (s.no is not null or p.no is not null) and (c.input > 0 or c.output > 0 or c.tools is not null)
   order by c.hold_id limit $4::int`;

export const createReadServed =
  (queryable: Queryable): ReadServed =>
  ({ from, to, after, limit }) =>
    queryable.query<ServedRow>(SQL, [from, to, after, limit]);
