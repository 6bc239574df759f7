import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";
import type { Outstanding, ReadOutstanding } from "./outstanding.ts";

/** Purses of accounts, and those of keys, which stand in their balances. Of a key that was revoked, too: its credit is not spent. */
const OUTSTANDING = `
  select count(*) filter (where not p.closed)::int as purses, coalesce(sum(p.posted) filter (where not p.closed), 0)::bigint as balance,
         coalesce(sum(p.held) filter (where not p.closed), 0)::bigint as reserved,
         count(*) filter (where p.closed)::int as "closedPurses", coalesce(sum(p.posted) filter (where p.closed), 0)::bigint as "closedBalance"
    from (
      select c.posted, c.held, c.closed_at is not null as closed from counter c
       where c.kind = 'purse' and c.unit = 'credit' and (c.closed_at is null or c.posted <> 0)
         and ($1::uuid[] is null
              or exists (select from account a where a.id = c.account_id and a.path && $1)
              or exists (select from key k join account a on a.id = k.account_id where k.id = c.key_id and a.path && $1))
      union all
      select b.posted, b.held, false from balance b
       where b.kind = 'purse' and b.unit = 'credit'
         and ($1::uuid[] is null
              or exists (select from key k join account a on a.id = k.account_id where k.id = b.key_id and a.path && $1))
    ) p`;

type Row = Omit<Outstanding, "closed"> & { closedPurses: number; closedBalance: bigint };

export const createReadOutstanding =
  (queryable: Queryable): ReadOutstanding =>
  async (within) => {
    const [row] = await queryable.query<Row>(OUTSTANDING, [within]);
    invariant(row, "a sum is answered");
    const { closedPurses, closedBalance, ...open } = row;
    return { ...open, closed: { purses: closedPurses, balance: closedBalance } };
  };
