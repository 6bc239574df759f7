import type { Via } from "../core/people/by.ts";
import type { Json } from "../core/bytes/json.ts";
import type { Queryable } from "../db/database.ts";
import type { AuditFilter, AuditOutcome, AuditStore } from "./audit.ts";

/** Ids are made before, so that what had no response is written once. */
const BEGIN = `
  insert into audit (id, actor, person_id, via, address, request_id, action, resource_kind, resource_id, resource_name, account_ids, asked, before)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::uuid[], $12::jsonb, $13::jsonb)
  on conflict (id) do nothing`;

const END = `
  insert into audit_end (id, outcome, code, resource_id, resource_name, account_ids, after)
  values ($1, $2, $3, $4, $5, $6::uuid[], $7::jsonb)
  on conflict (id) do nothing`;

const REFUSED = `
  with refused as (
    select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                         $11::text[], $12::int[], $13::text[])
      r (id, actor, person_id, via, address, request_id, action, resource_kind, resource_id, resource_name, asked, count, code)
  ), begun as (
    insert into audit (id, actor, person_id, via, address, request_id, action, resource_kind, resource_id, resource_name, asked, count)
    select id, actor, person_id, via, address, request_id, action, resource_kind, resource_id, resource_name, asked::jsonb, count from refused
    on conflict (id) do nothing
    returning id
  )
  insert into audit_end (id, outcome, code) select r.id, 'refused', r.code from refused r join begun b on b.id = r.id`;

/** In a list, what is longer than this is left to whoever asks for the one entry. */
const SHORT_BYTES = 16_384;

const documentIn = (column: string, short: boolean): string =>
  short
    ? `case when octet_length(${column}::text) > ${SHORT_BYTES}
            then jsonb_build_object('cut', jsonb_build_object('bytes', octet_length(${column}::text))) else ${column} end`
    : column;

type Row = {
  id: string;
  at: Date;
  atUs: bigint;
  no: bigint;
  actor: string;
  personId: string | null;
  via: Via | null;
  address: string | null;
  requestId: string | null;
  action: string;
  kind: string;
  resourceId: string | null;
  resourceName: string | null;
  accountIds: string[];
  asked: Json | null;
  before: Json | null;
  count: number;
  outcome: AuditOutcome;
  code: string | null;
  after: Json | null;
  endedAt: Date | null;
};

export function createAuditStore(queryable: Queryable): AuditStore {
  return {
    begin: async (entry) => {
      const { id, actor, personId, via, address, requestId, action, resource, accountIds, asked, before } = entry;
      const { kind, id: resourceId, name } = resource;
      const who = [id, actor, personId, via, address, requestId];
      await queryable.query(BEGIN, [...who, action, kind, resourceId, name, accountIds, asked, before]);
    },
    end: async (id, { outcome, code, resource, accountIds, after }) => {
      const { id: resourceId = null, name = null } = resource ?? {};
      await queryable.query(END, [id, outcome, code, resourceId, name, accountIds, after]);
    },
    refused: async (refusals) => {
      if (refusals.length === 0) return;
      const columns = [
        refusals.map(({ id }) => id),
        refusals.map(({ actor }) => actor),
        refusals.map(({ personId }) => personId),
        refusals.map(({ via }) => via),
        refusals.map(({ address }) => address),
        refusals.map(({ requestId }) => requestId),
        refusals.map(({ action }) => action),
        refusals.map(({ resource }) => resource.kind),
        refusals.map(({ resource }) => resource.id),
        refusals.map(({ resource }) => resource.name),
        refusals.map(({ asked }) => asked),
        refusals.map(({ count }) => count),
        refusals.map(({ code }) => code),
      ];
      await queryable.query(REFUSED, columns);
    },
    list: async (filter, page) => {
      const read = async (how: keyof typeof SOURCES): Promise<Row[]> => {
        const { sql, values } = searchOf(filter, { ...page, how });
        return queryable.query<Row>(sql, values);
      };
      // Many entries touch an account that is far up, few one that is far down.
      const walked = filter.accountId === null && filter.within === null ? [] : await read("walk");
      return (walked.length === page.limit ? walked : await read("index")).map(entryOf);
    },
  };
}

/** Entries that are walked along in the order of time. Where too few of them match, an index finds all. */
const WALKED_ROWS = 4_000;

/** `walk`: with what became of each at hand. `index`: what is known before and what is known after stand in two tables, each with its index. */
const SOURCES = {
  walk: {
    from: (where: string, order: string) => `
      from (select * from audit a ${where} order by ${order} limit ${WALKED_ROWS}) a
      left join lateral (select * from audit_end where id = a.id offset 0) e on true`,
    among: (condition: (of: string) => string) => `(${condition("a.")} or ${condition("e.")})`,
  },
  index: {
    from: (where: string) => `from (select * from audit a ${where}) a left join audit_end e on e.id = a.id`,
    among: (condition: (of: string) => string) =>
      `a.id in (select id from audit where ${condition("")} union select id from audit_end where ${condition("")})`,
  },
};

type Search = Parameters<AuditStore["list"]>[1] & { how: keyof typeof SOURCES };

function searchOf(filter: AuditFilter, { limit, after, order, documents, how }: Search) {
  const { from, among } = SOURCES[how];
  const values: unknown[] = [];
  const [begun, ended]: [string[], string[]] = [[], []];
  const add = (conditions: string[], value: unknown, condition: (place: string) => string): void => {
    if (value !== null) conditions.push(condition(`$${values.push(value)}`));
  };
  add(begun, filter.id, (id) => `a.id = ${id}::uuid`);
  add(begun, filter.fromMs === null ? null : new Date(filter.fromMs), (at) => `a.at >= ${at}::timestamptz`);
  add(begun, filter.toMs === null ? null : new Date(filter.toMs), (at) => `a.at < ${at}::timestamptz`);
  add(begun, filter.actor, (actor) => `a.actor = ${actor}`);
  add(begun, filter.action, (action) => `a.action = ${action}`);
  if (after !== null) {
    const place = [values.push(after.atUs), values.push(after.no)];
    begun.push(
      `(a.at, a.no) ${order === "newest" ? "<" : ">"} ('epoch'::timestamptz + $${place[0]}::bigint * interval '1 microsecond', $${place[1]}::bigint)`,
    );
  }
  add(ended, filter.outcome, (outcome) => `coalesce(e.outcome, 'unknown') = ${outcome}`);
  add(ended, filter.resource, (name) => among((of) => `${of}resource_id = ${name} or ${of}resource_name = ${name}`));
  add(ended, filter.accountId, (id) => among((of) => `${of}account_ids @> array[${id}::uuid]`));
  add(ended, filter.within, (ids) => among((of) => `${of}account_ids && ${ids}::uuid[]`));
  const within = filter.within === null ? null : `$${values.push(filter.within)}::uuid[]`;
  const direction = order === "newest" ? "desc" : "asc";
  const sorted = `a.at ${direction}, a.no ${direction}`;
  const sql = `${selected({ short: documents === "short", within })} ${from(whereOf(begun), sorted)} ${whereOf(ended)}
    order by ${sorted} limit $${values.push(limit)}`;
  return { sql, values };
}

const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;

/** Whoever sees a part of the accounts sees of a move out of another part what it became, and of one into another what it was. */
function selected({ short, within }: { short: boolean; within: string | null }): string {
  const seen = (of: "a" | "e", shown: string): string =>
    within === null ? shown : `case when ${of}.account_ids && ${within} then ${shown} end`;
  // It may name where something was moved to.
  const isTold = within === null ? "" : `when e.account_ids <> '{}' and not e.account_ids && ${within} then null`;
  const asked =
    within === null
      ? documentIn("a.asked", short)
      : `case ${isTold} else ${seen("a", documentIn("a.asked", short))} end`;
  return `
    select a.id, a.at, (extract(epoch from a.at) * 1000000)::bigint as "atUs", a.no, a.actor, a.person_id as "personId", a.via, a.address,
           a.request_id as "requestId", a.action, a.resource_kind as kind, coalesce(a.resource_id, e.resource_id) as "resourceId",
           coalesce(${seen("e", "e.resource_name")}, ${seen("a", "a.resource_name")}) as "resourceName",
           coalesce(nullif(${seen("e", "e.account_ids")}, '{}'), ${seen("a", "a.account_ids")}) as "accountIds", a.count,
           ${asked} as asked, ${seen("a", documentIn("a.before", short))} as before,
           ${seen("e", documentIn("e.after", short))} as after, coalesce(e.outcome, 'unknown') as outcome, e.code, e.at as "endedAt"`;
}

const entryOf = ({ at, atUs, no, endedAt, kind, resourceId, resourceName, ...row }: Row) => ({
  ...row,
  place: { atUs, no },
  accountIds: row.accountIds ?? [],
  resource: { kind, id: resourceId, name: resourceName },
  atMs: at.getTime(),
  endedAtMs: endedAt?.getTime() ?? null,
});
