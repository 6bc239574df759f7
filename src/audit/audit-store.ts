import type { Via } from "../core/by.ts";
import type { Json } from "../core/json.ts";
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
    list: async (filter, { limit, after, order, documents }) => {
      const { conditions, values } = conditionsOf(filter);
      if (after !== null) {
        const place = [values.push(after.atUs), values.push(after.no)];
        conditions.push(
          `(a.at, a.no) ${order === "newest" ? "<" : ">"} ('epoch'::timestamptz + $${place[0]}::bigint * interval '1 microsecond', $${place[1]}::bigint)`,
        );
      }
      const direction = order === "newest" ? "desc" : "asc";
      const rows = await queryable.query<Row>(
        `${selected({ short: documents === "short", within: filter.within === null ? null : `$${values.push(filter.within)}::uuid[]` })}
          ${conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`}
          order by a.at ${direction}, a.no ${direction} limit $${values.push(limit)}`,
        values,
      );
      return rows.map(entryOf);
    },
  };
}

/** Whoever sees a part of the accounts sees of a move out of another part what it became, and of one into another what it was. */
function selected({ short, within }: { short: boolean; within: string | null }): string {
  const seen = (of: "a" | "e", shown: string): string =>
    within === null ? shown : `case when ${of}.account_ids && ${within} then ${shown} end`;
  return `
    select a.id, a.at, (extract(epoch from a.at) * 1000000)::bigint as "atUs", a.no, a.actor, a.person_id as "personId", a.via, a.address,
           a.request_id as "requestId", a.action, a.resource_kind as kind, coalesce(a.resource_id, e.resource_id) as "resourceId",
           coalesce(${seen("e", "e.resource_name")}, ${seen("a", "a.resource_name")}) as "resourceName",
           coalesce(nullif(${seen("e", "e.account_ids")}, '{}'), ${seen("a", "a.account_ids")}) as "accountIds", a.count,
           ${seen("a", documentIn("a.asked", short))} as asked, ${seen("a", documentIn("a.before", short))} as before,
           ${seen("e", documentIn("e.after", short))} as after, coalesce(e.outcome, 'unknown') as outcome, e.code, e.at as "endedAt"
      from audit a left join audit_end e on e.id = a.id`;
}

function conditionsOf(filter: AuditFilter): { conditions: string[]; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string): void => {
    if (value !== null) conditions.push(condition(`$${values.push(value)}`));
  };
  add(filter.id, (id) => `a.id = ${id}::uuid`);
  add(filter.fromMs === null ? null : new Date(filter.fromMs), (at) => `a.at >= ${at}::timestamptz`);
  add(filter.toMs === null ? null : new Date(filter.toMs), (at) => `a.at < ${at}::timestamptz`);
  add(filter.actor, (actor) => `a.actor = ${actor}`);
  add(filter.action, (action) => `a.action = ${action}`);
  add(filter.outcome, (outcome) => `coalesce(e.outcome, 'unknown') = ${outcome}`);
  add(filter.resource, (name) => among(`resource_id = ${name} or resource_name = ${name}`));
  add(filter.accountId, (id) => among(`account_ids @> array[${id}::uuid]`));
  add(filter.within, (ids) => among(`account_ids && ${ids}::uuid[]`));
  return { conditions, values };
}

/** What is known before and what is known after stand in two tables, each with its index. */
const among = (condition: string): string =>
  `a.id in (select id from audit where ${condition} union select id from audit_end where ${condition})`;

const entryOf = ({ at, atUs, no, endedAt, kind, resourceId, resourceName, ...row }: Row) => ({
  ...row,
  place: { atUs, no },
  accountIds: row.accountIds ?? [],
  resource: { kind, id: resourceId, name: resourceName },
  atMs: at.getTime(),
  endedAtMs: endedAt?.getTime() ?? null,
});
