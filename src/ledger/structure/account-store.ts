import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { Unit } from "../../core/money/amount.ts";
import type { CounterKind } from "../../core/money/counter.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import type { Queryable } from "../../db/database.ts";
import type { AccountKey, AccountRow, AccountStore, HeldCounter, KeyMoney } from "./account.ts";

type Row = Omit<AccountRow, "createdAtMs"> & { createdAt: Date };
type CounterRow = {
  id: number;
  accountId: string | null;
  keyId: string | null;
  own: boolean;
  holder: string | null;
  kind: CounterKind;
  unit: Unit;
  models: string[] | null;
  amount: bigint;
  period: BudgetPeriod;
  posted: bigint;
  held: bigint;
  used: bigint;
  funded: bigint;
  refunded: bigint;
  renewsAt: Date | null;
};

/** Keys of an account are counted up to this. */
const MOST_COUNTED = 1_000;
/** A chain has no more, and whatever an account or a key has is in a chain. */
const MOST_COUNTERS = 8;

/** As the index of names has it. */
const CHILD_OF =
  "coalesce(a.parent_id, '00000000-0000-0000-0000-000000000000') = coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')";

/** A slash sorts before everything, so that what is below an account follows it. */
const SORTED = `lower(replace(account_title(a.id), '/', chr(1))) collate "C"`;

/** With its name from the root down, and the worst status on the way. */
const ACCOUNT = `
  select a.id, a.parent_id as "parentId", a.path, a.name, a.kind, a.bucket, a.status, account_title(a.id) as title, ${SORTED} as sorted,
         a.created_at as "createdAt", a.tiers, a.regions,
         (select b.status from account b where b.id = any (a.path)
           order by array_position(array['closed', 'suspended', 'disabled', 'active'], b.status) limit 1) as state,
         (select count(*)::int from (
            select from key k where k.account_id = a.id and k.status <> 'revoked' and k.person_id is null limit ${MOST_COUNTED}
          ) own) as keys
    from account a`;

const COUNTERS = `
  select c.id, c.account_id as "accountId", c.key_id as "keyId", c.own, a.name as holder, c.kind, c.unit, c.models, c.amount::bigint, c.period,
         c.posted, c.held, c.used, c.funded, c.refunded, c.renews_at as "renewsAt"
    from counter_now c left join account a on a.id = c.account_id`;

/** Client sessions have their own list. */
const KEYS = `
  select k.id, k.account_id as "accountId", k.label, k.mode, k.status, s.prefix, b.spent,
         case when b.today = (ledger_now() at time zone 'UTC')::date then b.today_spend else 0 end as today
    from key k join balance b on b.key_id = k.id
    left join lateral (select prefix from key_secret where key_id = k.id order by withdrawn_at is not null, created_at desc limit 1) s on true
   where k.account_id = any ($1::uuid[]) and k.status <> 'revoked' and k.person_id is null order by k.id limit $2`;

/** What each of these keys has left in the unit of its mode, by the purse or limit that has least, and what it has spent of it. */
const MONEY = `
  select b.key_id as "keyId", b.mode_unit as unit, b.spent, b.tokens_in + b.tokens_out as tokens, n.charged, n.reserved, n.available,
         case when a.lone then null else account_title(a.id) end as account
    from balance b join key k on k.id = b.key_id join account a on a.id = k.account_id
    left join lateral (
      select c.used as charged, c.held as reserved, c.posted - c.held as available from (
        select id, posted, held, used, unit, models from counter_now where key_id = b.key_id
        union all
        select id, posted, held, used, unit, models from counter_now where account_id = any (a.path)
      ) c where c.unit = b.mode_unit and c.models is null order by c.posted - c.held, c.id limit 1
    ) n on true
   where b.key_id = any ($1::uuid[])`;

const PAID_TO = `
  select coalesce('account ' || account_title(c.account_id), 'key ' || c.key_id) as holder, c.id
    from funding f join counter_anywhere c on c.id = f.counter where f.reference = $1 and f.kind = 'purchase'`;

export function createAccountStore(queryable: Queryable): AccountStore {
  const select = async (rest: string, values: readonly unknown[]): Promise<AccountRow[]> =>
    (await queryable.query<Row>(`${ACCOUNT} ${rest}`, values)).map(({ createdAt, ...row }) => ({
      ...row,
      createdAtMs: createdAt.getTime(),
    }));
  const counters = async (where: string, ids: number | readonly string[]): Promise<HeldCounter[]> => {
    const most = typeof ids === "number" ? 1 : ids.length * MOST_COUNTERS;
    const rows = await queryable.query<CounterRow>(`${COUNTERS} where ${where} order by c.id limit $2`, [ids, most]);
    return rows.map(({ renewsAt, ...row }) => ({ ...row, renewsAtMs: renewsAt?.getTime() ?? null }));
  };

  return {
    byId: async (id) => (await select("where a.id = $1 and not a.lone", [id]))[0] ?? null,
    childNames: async (parentId, limit) => {
      const sql = `select a.name from account a where ${CHILD_OF} and not a.lone and a.status <> 'closed' order by lower(a.name) limit $2`;
      return (await queryable.query<{ name: string }>(sql, [parentId, limit])).map(({ name }) => name);
    },
    childNamed: async (parentId, name) =>
      (
        await select(`where ${CHILD_OF} and lower(a.name) = lower($2) and not a.lone and a.status <> 'closed'`, [
          parentId,
          name,
        ])
      )[0] ?? null,
    list: ({ limit, after, within, search }) =>
      select(
        `where not a.lone and a.status <> 'closed' and ($4::uuid[] is null or a.path && $4)
           and ($5::text is null or strpos(lower(a.name), lower($5)) > 0) and ($1::text is null or (${SORTED}, a.id) > ($1 collate "C", $2::uuid))
         order by ${SORTED}, a.id limit $3`,
        [after?.sorted ?? null, after?.id ?? null, limit, within, search],
      ),
    below: (id, limit) =>
      select(
        `where a.path @> array[$1::uuid] and (a.id = $1 or a.status <> 'closed') order by ${SORTED}, a.id limit $2`,
        [id, limit],
      ),
    countersOf: (accountIds) => counters("c.account_id = any ($1::uuid[])", accountIds),
    countersOfKeys: (keyIds) => counters("c.key_id = any ($1::uuid[])", keyIds),
    limitsBelow: (id) =>
      queryable.query<Pick<CounterRow, "unit" | "models">>(
        `with below as (select a.id from account a where a.path @> array[$1::uuid])
         select distinct c.unit, c.models from counter_now c
          where c.kind = 'limit' and (c.account_id in (select id from below)
             or c.key_id in (select k.id from key k where k.account_id in (select id from below)))`,
        [id],
      ),
    counter: async (id) => (await counters("c.id = $1", id))[0] ?? null,
    keysIn: (accountIds, limit) => queryable.query<AccountKey & { mode: KeyMode }>(KEYS, [accountIds, limit]),
    moneyOf: async (keyIds) => {
      const rows = await queryable.query<KeyMoney & { keyId: string }>(MONEY, [keyIds]);
      return new Map(rows.map(({ keyId, ...money }) => [keyId, money]));
    },
    paidTo: async (reference) => {
      const [row] = await queryable.query<{ holder: string; id: number }>(PAID_TO, [reference]);
      return row ?? null;
    },
  };
}
