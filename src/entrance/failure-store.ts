import type { Queryable } from "../db/database.ts";
import type { FailureStore } from "./sign-in-throttle.ts";

/** Those who come together are counted one after the other, so that no attempt is made uncounted. */
export const createFailureStore = (queryable: Queryable): FailureStore => ({
  count: async (subjects, { atMs, windowMs }) => {
    const [at, ends] = [new Date(atMs), new Date(atMs + windowMs)];
    await queryable.query("delete from sign_in_failure where ends_at <= $1", [at]);
    const rows = await queryable.query<{ subject: Buffer; failures: number; endsAt: Date }>(
      `insert into sign_in_failure as f (subject, failures, ends_at)
       select s, 1, $2 from unnest($1::bytea[]) s order by s
       on conflict (subject) do update
         set failures = case when f.ends_at <= $3 then 1 else f.failures + 1 end,
             ends_at = case when f.ends_at <= $3 then $2 else f.ends_at end
       returning subject, failures, ends_at as "endsAt"`,
      [subjects, ends, at],
    );
    const found = new Map(rows.map((row) => [row.subject.toString("hex"), row]));
    return subjects.map((subject) => {
      const row = found.get(subject.toString("hex"));
      return { failures: row?.failures ?? 1, endsAtMs: (row?.endsAt ?? ends).getTime() };
    });
  },

  clear: async (subjects) => {
    await queryable.query("delete from sign_in_failure where subject = any ($1::bytea[])", [subjects]);
  },

  forgive: async (subjects) => {
    await queryable.query(
      "update sign_in_failure set failures = failures - 1 where subject = any ($1::bytea[]) and failures > 0",
      [subjects],
    );
  },

  isKnownAddress: async (email, address) => {
    const sql = `select from session s join person p on p.id = s.person_id
                  where p.email = $1 and p.state = 'active' and s.address = $2 limit 1`;
    return (await queryable.query(sql, [email, address])).length > 0;
  },
});
