import type { Queryable } from "../../db/database.ts";
import type { SetupStore } from "./password-sign-in.ts";

export const createSetupStore = (queryable: Queryable): SetupStore => ({
  offer: async (digest, { expiresAtMs, leastAgeMs }) => {
    const offered = await queryable.query(
      `insert into setup (digest, expires_at) values ($1, $2)
       on conflict (one) do update set digest = excluded.digest, expires_at = excluded.expires_at
         where setup.expires_at <= $3 returning one`,
      [digest, new Date(expiresAtMs), new Date(expiresAtMs - leastAgeMs)],
    );
    return offered.length > 0;
  },
  take: async (digest, atMs) => {
    const sql = "delete from setup where digest = $1 and expires_at > $2 returning one";
    return (await queryable.query(sql, [digest, new Date(atMs)])).length > 0;
  },
});
