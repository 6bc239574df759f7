import type { Queryable } from "../db/database.ts";
import type { Outstanding, ReadOutstanding } from "./outstanding.ts";

/** Purses of accounts, and those of keys, which stand in their balances. Of a key that was revoked, too: its credit is not spent. */
const OUTSTANDING = `
  select count(*)::int as purses, coalesce(sum(p.posted), 0)::bigint as balance, coalesce(sum(p.held), 0)::bigint as reserved
    from (
      select c.posted, c.held from counter c
       where c.kind = 'purse' and c.unit = 'credit' and c.closed_at is null
         and ($1::uuid[] is null
              or exists (select from account a where a.id = c.account_id and a.path && $1)
              or exists (select from key k join account a on a.id = k.account_id where k.id = c.key_id and a.path && $1))
      union all
      select b.posted, b.held from balance b
       where b.kind = 'purse' and b.unit = 'credit'
         and ($1::uuid[] is null
              or exists (select from key k join account a on a.id = k.account_id where k.id = b.key_id and a.path && $1))
    ) p`;

export const createReadOutstanding =
  (queryable: Queryable): ReadOutstanding =>
  async (within) => {
    const [row] = await queryable.query<Outstanding>(OUTSTANDING, [within]);
    return row ?? { purses: 0, balance: 0n, reserved: 0n };
  };
