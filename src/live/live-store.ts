import type { Queryable } from "../db/database.ts";
import type { Amounts } from "../core/money/amount.ts";
import type { InFlight } from "../core/request/in-flight.ts";
import type { CancelEnd, LiveStore, NumberedEnd, SeenProcess, WatchStore } from "./live.ts";

const PUBLISH = `select watched_ms as "watchedMs", cancels from live_published_v1($1, $2::json, $3, $4::json)`;

/** A process that has a lease and says nothing is listed without a word. */
const READ = `
  select p.id, l.in_flight as "inFlight", l.more, l.finished as ended, (extract(epoch from ledger_now() - l.at) * 1000)::int as "agoMs"
    from process p left join live_process l on l.id = p.id and l.at > ledger_now() - interval '3 seconds'
   where p.lease_until > ledger_now() order by p.id`;

const ACCOUNTS = `
  select a.path from hold h join key k on k.id = h.key_id join account a on a.id = k.account_id where h.id = $1`;

const CANCELLED = `
  select coalesce((select state from live_cancel where request = $1), 'asked') as state, exists (select from hold where id = $1) as "inFlight"`;

const PREFIXES = `
  select distinct on (key_id) key_id as id, prefix from key_secret where key_id = any ($1::uuid[]) order by key_id, created_at desc, prefix`;

const ANSWER = `
  update live_cancel c set state = a.state from unnest($1::uuid[], $2::text[]) a (request, state)
   where c.request = a.request and c.state = 'asked'`;

export const createLiveStore = (queryable: Queryable): LiveStore & WatchStore => ({
  publish: async (process, published) => {
    const rows = published && JSON.stringify(published.inFlight.map(written));
    type Row = { watchedMs: number; cancels: string[] };
    const ended = published && JSON.stringify(published.ended.map(writtenEnd));
    const [row] = await queryable.query<Row>(PUBLISH, [process, rows, published?.more ?? 0, ended]);
    return row ?? { watchedMs: 0, cancels: [] };
  },
  withdraw: async (process) => void (await queryable.query("delete from live_process where id = $1", [process])),
  answer: async (ends) => void (await queryable.query(ANSWER, [[...ends.keys()], [...ends.values()]])),

  watch: async (forMs) => void (await queryable.query("select live_watched_v1($1)", [forMs])),
  read: async () => {
    const rows = await queryable.query<ProcessRow>(READ);
    return rows.map(({ id, inFlight, more, ended, agoMs }): SeenProcess => ({
      id,
      agoMs,
      published: inFlight && { inFlight: inFlight.map(read), more: more ?? 0, ended: (ended ?? []).map(readEnd) },
    }));
  },
  accountsOf: async (request) => {
    const [row] = await queryable.query<{ path: string[] }>(ACCOUNTS, [request]);
    return row?.path ?? null;
  },
  cancel: async (request) => {
    const [row] = await queryable.query<{ state: "asked" | CancelEnd | null }>("select live_cancel_v1($1) as state", [
      request,
    ]);
    return row?.state ?? null;
  },
  cancelled: async (request) => {
    type Row = { state: "asked" | CancelEnd; inFlight: boolean };
    const [row] = await queryable.query<Row>(CANCELLED, [request]);
    return row ?? { state: "asked", inFlight: false };
  },
  prefixes: async (keys) => {
    const rows = await queryable.query<{ id: string; prefix: string }>(PREFIXES, [keys]);
    return new Map(rows.map(({ id, prefix }) => [id, prefix]));
  },
  names: async (accounts) => {
    const rows = await queryable.query<{ id: string; name: string }>(
      "select id, name from account where id = any ($1::uuid[]) and not lone",
      [accounts],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  },
});

type WrittenAmounts = { credits: string | null; tokens: string | null };
type WrittenInFlight = Omit<InFlight, "reserved" | "soFar"> & {
  reserved: WrittenAmounts;
  soFar: { outputTokens: number; cost: WrittenAmounts } | null;
};

type WrittenEnd = Omit<NumberedEnd, "charged"> & { charged: WrittenAmounts | null };
type ProcessRow = {
  id: string;
  inFlight: WrittenInFlight[] | null;
  more: number | null;
  ended: WrittenEnd[] | null;
  agoMs: number | null;
};

const writtenEnd = ({ charged, ...end }: NumberedEnd): WrittenEnd => ({
  ...end,
  charged: charged && writtenAmounts(charged),
});

const readEnd = ({ charged, ...end }: WrittenEnd): NumberedEnd => ({
  ...end,
  charged: charged && readAmounts(charged),
});

const written = ({ reserved, soFar, ...request }: InFlight): WrittenInFlight => ({
  ...request,
  reserved: writtenAmounts(reserved),
  soFar: soFar && { ...soFar, cost: writtenAmounts(soFar.cost) },
});

const read = ({ reserved, soFar, ...request }: WrittenInFlight): InFlight => ({
  ...request,
  reserved: readAmounts(reserved),
  soFar: soFar && { ...soFar, cost: readAmounts(soFar.cost) },
});

const writtenAmounts = ({ credits, tokens }: Amounts): WrittenAmounts => ({
  credits: credits === null ? null : String(credits),
  tokens: tokens === null ? null : String(tokens),
});

const readAmounts = ({ credits, tokens }: WrittenAmounts): Amounts => ({
  credits: credits === null ? null : BigInt(credits),
  tokens: tokens === null ? null : BigInt(tokens),
});
