import type { Unit } from "../../core/money/amount.ts";
import { invariant } from "../../core/invariant.ts";
import { LINE, type Queryable } from "../../db/database.ts";
import type { ClosedPurse, ClosedPurses, MovedPurse } from "./closed-purse.ts";

const LIST = `
  select c.id as counter, c.unit, c.posted - c.held as amount, c.key_id as "keyId", c.account_id as "accountId",
         coalesce((select prefix from key_secret s where s.key_id = c.key_id order by s.created_at desc limit 1), '') as prefix,
         account_title(c.account_id) as title, paying_purse(c.key_id, c.account_id, c.unit) is not null as "hasPayer"
    from counter c
   where c.kind = 'purse' and c.closed_at is not null and c.posted <> c.held
     and ($1::uuid[] is null
          or exists (select from account a where a.id = c.account_id and a.path && $1)
          or exists (select from key k join account a on a.id = k.account_id where k.id = c.key_id and a.path && $1))
   order by c.id limit $2`;

const MOVE =
  "select result, unit, amount, counter from closed_purse_moved_v1(on_line_v1($5::uuid, $1::int), $2, $3, $4)";

export function createClosedPurses(queryable: Queryable): ClosedPurses {
  return {
    list: async (within, limit) => {
      type Row = Omit<ClosedPurse, "key" | "account"> &
        Record<"prefix", string> &
        Record<"keyId" | "accountId" | "title", string | null>;
      const rows = await queryable.query<Row>(LIST, [within, limit]);
      return rows.map(({ keyId, accountId, prefix, title, ...purse }) => ({
        ...purse,
        key: keyId === null ? null : { id: keyId, prefix },
        account: accountId === null ? null : { id: accountId, title: title ?? "" },
      }));
    },
    move: async ({ from, to, actor }): Promise<MovedPurse> => {
      const [keyId, accountId] = to === null ? [null, null] : "keyId" in to ? [to.keyId, null] : [null, to.accountId];
      type Row = { result: MovedPurse["kind"]; unit: Unit; amount: bigint | null; counter: number | null };
      const [row] = await queryable.query<Row>(MOVE, [from, keyId, accountId, actor, LINE]);
      invariant(row, "a move is answered");
      const { result, unit, amount, counter } = row;
      if (result !== "moved") return { kind: result };
      invariant(amount !== null && counter !== null, "what was moved has an amount and a place");
      return { kind: "moved", unit, amount, to: counter };
    },
  };
}
