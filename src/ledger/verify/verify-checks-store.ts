import { formatAmount, type Unit } from "../../core/money/amount.ts";
import { requestIdOf } from "../../core/ids.ts";
import type { Queryable } from "../../db/database.ts";
import type { Mismatch } from "./verify-fold.ts";
import type { BooksCheck, Chunk, VerifyStore } from "./verify.ts";

const ROWS_AT_ONCE = 10_000;
const MOST_WRONG = 1_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** What is wrong comes with two numbers, in a unit or without; null where there is nothing. */
export type Wrong = {
  keyId: string | null;
  requestId: string | null;
  counter?: number | null;
  what: string;
  unit: Unit | null;
  expected: bigint | null;
  found: bigint | null;
};
export type WrongRow = { seen: number; last: string | null; lastToo: string | null } & (Wrong | { what: null });

/**
 * Values: the two values to go on after, the key, limit. Each row is judged within the statement that reads it: what belongs together was
 * written by one transaction.
 */
const pieceOf = ({ rows, id, too, wrong }: Record<"rows" | "id" | "too" | "wrong", string>): string => `
  with piece as materialized (${rows})
  select (select count(*)::int from piece) as seen, last.id as last, last.too as "lastToo", w.*
    from (select 1) one left join (select ${id}::text as id, ${too}::text as too from piece order by ${id} desc, ${too} desc limit 1) last on true
    left join lateral (select * from (${wrong}) w limit ${MOST_WRONG}) w on true`;

const UNITS_OF = `lateral (values ('credit', p.credits, c.credits), ('tokens', p.tokens, c.tokens)) u (unit, given, charged)`;

const REFUNDS = pieceOf({
  rows: `select hold_id, min(key_no) as key_no, min(chain) as chain, sum(credits)::bigint as credits, sum(tokens)::bigint as tokens,
                bool_or(kind = 'void') as undone
           from refund
          where hold_id > $1::uuid and $2::text is not null
            and ($3::uuid is null or key_no = (select key_no from balance where key_id = $3::uuid))
          group by hold_id order by hold_id limit $4::int`,
  id: "hold_id",
  too: "hold_id",
  wrong: `select b.key_id as "keyId", p.hold_id as "requestId", case when c.hold_id is null then 'refund without a charge' else 'refund' end as what,
                 u.unit, u.charged as expected, u.given as found
            from piece p left join charge c on c.hold_id = p.hold_id and c.key_no = p.key_no and c.chain = p.chain
            left join balance b on b.key_no = p.key_no cross join ${UNITS_OF}
           where coalesce(u.given, 0) > coalesce(u.charged, 0) or p.undone and u.given is distinct from u.charged
          union all
          select b.key_id, p.hold_id, 'house.amount of what was undone', f.unit, f.amount, h.amount
            from piece p join balance b on b.key_no = p.key_no
            cross join lateral (select q.unit, q.amount from refund r
                                 cross join lateral (values ('credit', r.credits), ('tokens', r.tokens)) q (unit, amount)
                                 where r.hold_id = p.hold_id and r.kind = 'void' and q.amount > 0) f
            left join house h on h.hold_id = p.hold_id and h.kind = 'voided' and h.unit = f.unit
           where p.undone and h.amount is distinct from f.amount`,
});

const HOLDS = pieceOf({
  rows: `select * from hold
          where id > $1::uuid and $2::text is not null and ($3::uuid is null or key_id = $3::uuid) order by id limit $4::int`,
  id: "id",
  too: "id",
  wrong: `select p.key_id as "keyId", p.id as "requestId", 'hold of a request that was charged' as what, u.unit, null::bigint as expected,
                 u.held as found
            from piece p join charge c on c.hold_id = p.id
            cross join lateral (values ('credit', p.credits::bigint), ('tokens', p.tokens::bigint)) u (unit, held) where u.held is not null
          union all
          select p.key_id, p.id, 'hold of a key without a balance', null, 1, 0
            from piece p where not exists (select from balance b where b.key_id = p.key_id and b.key_no = p.key_no)
          union all
          select p.key_id, p.id, 'hold.counters against its chain', null, coalesce(cardinality(h.counters), 0), coalesce(cardinality(p.counters), 0)
            from piece p left join chain h on h.id = p.chain and h.key_id = p.key_id
           where h.id is null or h.counters <> coalesce(p.counters, '{}')`,
});

/** What the operator bears belongs to a charge of the same key; of what was undone, exactly what its void gave back. */
const HOUSE = pieceOf({
  rows: `select * from house
          where (hold_id, kind || unit) > ($1::uuid, $2::text) and ($3::uuid is null or key_id = $3::uuid)
          order by hold_id, kind || unit limit $4::int`,
  id: "hold_id",
  too: "kind || unit",
  wrong: `select p.key_id as "keyId", p.hold_id as "requestId", 'house.amount (' || p.kind || ')' as what, p.unit::text as unit,
                 case when p.kind = 'voided' then f.amount end as expected, p.amount as found
            from piece p left join charge c on c.hold_id = p.hold_id
            left join balance b on b.key_no = c.key_no
            left join lateral (select case p.unit when 'credit' then r.credits::bigint else r.tokens::bigint end as amount
                                 from refund r where r.hold_id = p.hold_id and r.kind = 'void' limit 1) f on true
           where c.hold_id is null or b.key_id is distinct from p.key_id
              or p.kind = 'voided' and f.amount is distinct from p.amount
              or p.kind = 'failed' and (c.kind not in (2, 3) or coalesce(c.credits, 0) + coalesce(c.tokens, 0) > 0)
              or case p.unit when 'credit' then c.credits else c.tokens end is null`,
});

/** A chain names keys, accounts and counters that exist, and has at most one purse. The present one of a key is what its row says. */
const CHAINS = pieceOf({
  rows: `select * from chain
          where id > $1::int and $2::text is not null and ($3::uuid is null or key_id = $3::uuid) order by id limit $4::int`,
  id: "id",
  too: "id",
  wrong: `select p.key_id as "keyId", null::uuid as "requestId", 'chain.key_no of chain ' || p.id as what, null::text as unit,
                 k.no::bigint as expected, p.key_no::bigint as found
            from piece p left join key k on k.id = p.key_id where k.no is distinct from p.key_no
          union all
          select p.key_id, null, 'accounts of chain ' || p.id || ' that exist', null, cardinality(p.accounts), q.there
            from piece p cross join lateral (select count(*) as there from account a where a.id = any (p.accounts)) q
           where q.there <> cardinality(p.accounts)
          union all
          select p.key_id, null, 'counters of chain ' || p.id || ' that exist', null, cardinality(p.counters), q.there
            from piece p cross join lateral (select count(*) as there from counter c where c.id = any (p.counters)) q
           where q.there <> cardinality(p.counters)
          union all
          select p.key_id, null, 'purses of chain ' || p.id, null, 1, q.purses
            from piece p cross join lateral (
                   select (select count(*) from counter c where c.id = any (p.counters || p.own) and c.kind = 'purse')
                          + (select count(*) from balance b where b.counter = p.own and b.kind = 'purse') as purses
                 ) q
           where q.purses > 1
          union all
          select p.key_id, null, 'balance.counters against chain ' || p.id, null, cardinality(p.counters), coalesce(cardinality(b.counters), 0)
            from piece p join balance b on b.chain = p.id
           where b.key_id <> p.key_id or coalesce(b.counters, '{}') <> p.counters or coalesce(b.counter, 0) <> p.own`,
});

const SQL: Record<BooksCheck, string> = { refunds: REFUNDS, holds: HOLDS, "operator losses": HOUSE, chains: CHAINS };

/** Holds rows against those that they name. */
export const createChecks =
  (queryable: Queryable): VerifyStore["check"] =>
  async (which, after, key) => {
    const first = which === "chains" ? 0 : FIRST_ID;
    const values = [after?.[0] ?? first, after?.[1] ?? "", key?.keyId ?? null, ROWS_AT_ONCE];
    return chunkOf(await queryable.query<WrongRow>(SQL[which], values), ROWS_AT_ONCE);
  };

export function chunkOf(rows: readonly WrongRow[], full: number): Chunk<Mismatch> {
  const [first] = rows;
  const seen = first?.seen ?? 0;
  const more = first && seen >= full && first.last !== null;
  return {
    rows: rows.flatMap((row) => (row.what === null ? [] : [mismatchOf(row)])),
    seen,
    next: more ? [first.last ?? "", first.lastToo ?? ""] : null,
  };
}

function mismatchOf({ keyId, requestId, counter = null, what, unit, expected, found }: Wrong): Mismatch {
  const write = (value: bigint | null): string =>
    value === null ? "none" : unit === null ? String(value) : formatAmount(unit, value);
  const column = requestId === null ? what : `${what} (${requestIdOf(requestId)})`;
  return { keyId, accountId: null, counter, column, expected: write(expected), found: write(found) };
}
