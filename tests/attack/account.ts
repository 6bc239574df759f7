import type { Pool } from "pg";

export type StageKey = { id: string; secret: string };

/** What the ledger says of a key: read from its tables, not from what callers are shown. */
export type Account = {
  /** Nano-credits, or tokens. */
  balance: bigint;
  /** Sum of the charges. */
  charged: bigint;
  charges: number;
  holds: number;
  /** What the operator has paid for it, without what was undone through no doing of its holder. */
  writtenOff: bigint;
  status: string;
};

const SQL = `
  select b.posted::text as balance,
    (select coalesce(sum(coalesce(c.credits, c.tokens)), 0)::text from charge c where c.key_no = b.key_no) as charged,
    (select count(*)::int from charge c where c.key_no = b.key_no) as charges,
    (select count(*)::int from hold where key_id = $1) as holds,
    (select coalesce(sum(amount), 0)::text from house where key_id = $1 and kind <> 'voided') as written_off,
    (select status from key where id = $1) as status
  from balance b where b.key_id = $1`;

/** As the database tells it. */
export type AccountRow = {
  balance: string;
  charged: string;
  charges: number;
  holds: number;
  written_off: string;
  status: string;
};

export async function readAccount(books: Pool, keyId: string): Promise<Account> {
  const { rows } = await books.query<AccountRow>(SQL, [keyId]);
  const row = rows[0];
  if (row === undefined) throw new Error(`no balance of ${keyId}`);
  return accountOf(row);
}

export const accountOf = ({ balance, charged, charges, holds, written_off, status }: AccountRow): Account => ({
  balance: BigInt(balance),
  charged: BigInt(charged),
  charges,
  holds,
  writtenOff: BigInt(written_off),
  status,
});
