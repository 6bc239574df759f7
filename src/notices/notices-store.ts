import type { Queryable } from "../db/database.ts";
import { LINE } from "../db/database.ts";
import type { DeliveryState } from "../core/notice-words.ts";
import type { DeliveryAttempt, CounterThresholds, ListedNotice, Notice, NoticeCounts, NoticeStore } from "./notice.ts";

type OwnerRow = {
  accountId: string | null;
  accountPath: string[];
  keyId: string | null;
  keyPrefix: string | null;
  keyLabel: string | null;
};
type NoticeRow = Omit<Notice, "key" | "renewsAtMs" | "atMs"> & OwnerRow & { renewsAt: Date | null; at: Date };
type DeliveryRow = {
  notice: string;
  endpoint: string;
  state: DeliveryState;
  attempts: number;
  nextAt: Date | null;
  lastAt: Date | null;
  status: number | null;
  problem: string | null;
};

const OWNER = `o.account_id as "accountId", o.account_path as "accountPath", o.key_id as "keyId", o.key_prefix as "keyPrefix",
  o.key_label as "keyLabel", o.models`;

const NOTICE = `
  select n.id, n.no, n.counter, case n.kind when 'percent' then 'limit' else 'purse' end as kind, n.unit::text as unit, n.period::text as period,
         case when n.cause <> 'too_large' then n.value when n.kind = 'percent' then 100 else 0 end as threshold, n.cause, n.amount, n.used, n.held as reserved, n.posted - n.held as available, n.renews_at as "renewsAt", n.at,
         ${OWNER}
    from notice n left join counter_owner o on o.counter = n.counter`;

/** Those that lie below one of these accounts; null: all. */
const below = (accounts: string): string => `(${accounts}::uuid[] is null or exists (
  select from account a where a.path && ${accounts} and a.id = coalesce(o.account_id, (select account_id from key where id = o.key_id))))`;

/** What is dead has an index of its own, and so has what waits; what arrived is almost everything. */
const OF_STATE: Readonly<Record<DeliveryState | "any", string>> = {
  any: "true",
  waiting: "n.no in (select no from delivery where state = 'waiting')",
  dead: "n.no in (select no from delivery where state = 'dead')",
  delivered: "exists (select from delivery d where d.notice = n.id and d.state = 'delivered')",
};

const TAKE = `select id, endpoint, attempt, tried_ms::float8 as "triedMs" from deliveries_taken_v1($1::text[], $2, $3)`;

const DELIVERIES = `
  select notice, endpoint, state, attempts, nullif(next_at, 'infinity') as "nextAt", last_at as "lastAt", status, problem
    from delivery where notice = any ($1::uuid[]) order by endpoint`;

const COUNTERS = `
  select c.id as counter, c.kind::text as kind, c.unit::text as unit, c.period::text as period, c.amount::bigint as amount,
         thresholds_of(c.id, c.kind)::text[] as thresholds, not exists (select from threshold t where t.counter = c.id) as usual, ${OWNER}
    from counter_anywhere c join counter_owner o on o.counter = c.id
   where c.closed_at is null and (c.account_id = $1::uuid or c.key_id = $2::uuid) order by c.id`;

export const createNoticeStore = (queryable: Queryable): NoticeStore => ({
  ...sending(queryable),
  ...operating(queryable),
});

/** For those who send notices. */
const sending = (queryable: Queryable): Pick<NoticeStore, "take" | "ended" | "count"> => ({
  take: async (endpoints, { each, leaseMs }) => {
    type Row = { id: string; endpoint: string; attempt: number; triedMs: number };
    const rows = await queryable.query<Row>(TAKE, [endpoints, each, leaseMs]);
    const notices = await noticesOf(
      queryable,
      rows.map(({ id }) => id),
    );
    return rows.flatMap(({ id, ...attempt }): DeliveryAttempt[] => {
      const notice = notices.get(id);
      return notice ? [{ ...attempt, notice }] : [];
    });
  },

  ended: async ({ notice, endpoint, attempt }, { ok, status, problem, againMs }) => {
    await queryable.query("select delivery_ended_v1($1, $2, $3, $4, $5, $6, $7)", [
      notice.id,
      endpoint,
      attempt,
      ok,
      status,
      problem,
      againMs,
    ]);
  },

  count: async () => {
    const [row] = await queryable.query<NoticeCounts>(
      `select (select count(*)::int from delivery where state = 'waiting') as waiting,
              (select count(*)::int from delivery where state = 'dead') as dead`,
    );
    return row ?? { waiting: 0, dead: 0 };
  },
});

/** For operators. */
const operating = (queryable: Queryable): Omit<NoticeStore, keyof ReturnType<typeof sending>> => ({
  list: async ({ limit, before, within, state, cause, accountId, keyId }) => {
    const places = [within, accountId === null ? null : [accountId]];
    const rows = await queryable.query<NoticeRow>(
      `${NOTICE} where ($2::bigint is null or n.no < $2)
         and ${OF_STATE[state ?? "any"]} and ${below("$3")} and ${below("$4")}
         and ($5::text is null or n.cause = $5) and ($6::uuid is null or o.key_id = $6)
       order by n.no desc limit $1`,
      [limit, before, ...places, cause, keyId],
    );
    const deliveries = await queryable.query<DeliveryRow>(DELIVERIES, [rows.map(({ id }) => id)]);
    return rows.map((row): ListedNotice => {
      const own = deliveries.filter(({ notice }) => notice === row.id);
      return { ...noticeOf(row), deliveries: own.map(deliveryOf) };
    });
  },

  endpoints: async () => {
    type Row = { endpoint: string; seenAt: Date; waiting: number; dead: number };
    const rows = await queryable.query<Row>(
      `select e.name as endpoint, e.seen_at as "seenAt",
              (select count(*)::int from delivery d where d.endpoint = e.name and d.state = 'waiting') as waiting,
              (select count(*)::int from delivery d where d.endpoint = e.name and d.state = 'dead') as dead
         from endpoint e order by e.name <> 'log', e.name`,
    );
    return rows.map(({ seenAt, ...row }) => ({ ...row, seenAtMs: seenAt.getTime() }));
  },

  retry: async (notice) => {
    const [row] = await queryable.query<{ count: number }>("select deliveries_retried_v1($1::uuid) as count", [notice]);
    return row?.count ?? 0;
  },

  countersOf: async (owner) => {
    type Row = Omit<CounterThresholds, "key" | "thresholds"> & OwnerRow & { thresholds: string[] };
    const ids = "accountId" in owner ? [owner.accountId, null] : [null, owner.keyId];
    const rows = await queryable.query<Row>(COUNTERS, ids);
    return rows.map(({ keyId, keyPrefix, keyLabel, thresholds, ...row }) => ({
      ...row,
      key: keyId === null ? null : { id: keyId, prefix: keyPrefix, label: keyLabel },
      thresholds: thresholds.map(BigInt),
    }));
  },

  setThresholds: async (counter, thresholds) => {
    const [row] = await queryable.query<{ result: "set" | "unknown_counter" }>(
      "select thresholds_v1(on_line_v1($3::uuid, $1::int), $2::bigint[]) as result",
      [counter, thresholds?.map(String) ?? null, LINE],
    );
    return row?.result ?? "unknown_counter";
  },
});

async function noticesOf(queryable: Queryable, ids: readonly string[]): Promise<Map<string, Notice>> {
  const rows = ids.length > 0 ? await queryable.query<NoticeRow>(`${NOTICE} where n.id = any ($1::uuid[])`, [ids]) : [];
  return new Map(rows.map((row) => [row.id, noticeOf(row)]));
}

const noticeOf = ({ keyId, keyPrefix, keyLabel, renewsAt, at, ...row }: NoticeRow): Notice => ({
  ...row,
  key: keyId === null ? null : { id: keyId, prefix: keyPrefix, label: keyLabel },
  renewsAtMs: renewsAt?.getTime() ?? null,
  atMs: at.getTime(),
});

const deliveryOf = ({ nextAt, lastAt, ...row }: Omit<DeliveryRow, "notice">) => ({
  ...row,
  nextAtMs: nextAt?.getTime() ?? null,
  lastAtMs: lastAt?.getTime() ?? null,
});
