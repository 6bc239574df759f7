import type { Queryable } from "../../src/db/database.ts";
import type {
  Account,
  Charge,
  ClaimEntry,
  FundingEntry,
  Hold,
  HouseEntry,
  Process,
  State,
  BorneEntry,
} from "./state.ts";

const MINUTE_MS = 60_000;
const MS = (column: string): string =>
  `case when isfinite(${column}) then (extract(epoch from ${column}) * 1000)::float8 else 'infinity'::float8 end`;

/** Names in double quotes are those of `State`, so that rows need no translation. */
const ACCOUNTS = `select key_id as id, unit, version::int, (select status from key where id = key_id), posted, held, older_held as "olderHeld", purchased, used, budget, period,
  period_no::int as "periodNo", ${MS("period_ends_at")} as "periodEndsAtMs",
  case when isfinite(today) then (today - date '1970-01-01')::float8 else '-infinity'::float8 end as day,
  today_spend as "todaySpend", last_cost as "lastCost", requests, tokens_in as "tokensIn", tokens_out as "tokensOut",
  coalesce((select json_agg(json_build_object('lastMs', (s >> 10) / 1000, 'count', s & 1023) order by n)
    from unnest(rate) with ordinality u (s, n)), '[]') as rate, fundings::int
  from balance where key_id = any ($1::uuid[])`;
const HOLDS = `select id, key_id as "keyId", amount, period_no::int as "periodNo", process_id as "processId",
  checkpoint_cost as cost, checkpoint_in as "tokensIn", checkpoint_out as "tokensOut", checkpoint_seq as seq,
  content_delivered as delivered, ${MS("admitted_at")} as "admittedAtMs", ${MS("deadline")} as "deadlineMs" from hold where key_id = any ($1::uuid[])`;
const CHARGES = `select hold_id as id, key_id as "keyId", granted, amount, kind, period_no::int as "periodNo",
  tokens_in as "tokensIn", tokens_out as "tokensOut", ${MS("at")} as "atMs" from charge where key_id = any ($1::uuid[])`;
const FUNDING = `select key_id || ' ' || reference as id, key_id as "keyId", kind, amount, period_no::int as "periodNo", about,
  seq::int, period, ${MS("at")} as "atMs" from funding where key_id = any ($1::uuid[])`;
const CLAIMS = `select key_id || ' ' || encode(key_sha256, 'hex') as id, encode(fingerprint, 'hex') as fingerprint,
  state, hold_id as "holdId", case when body is not null then
    json_build_object('status', status, 'contentType', content_type, 'body', encode(body, 'hex')) end as answer,
  ${MS("expires_at")} as "expiresAtMs" from idempotency where key_id = any ($1::uuid[])`;
const PROCESSES = `select id, ${MS("renewing_since")} as "renewingSinceMs", ${MS("lease_until")} as "leaseUntilMs", timeline::int
  from process where id = any ($1::uuid[])`;
const QUARANTINE = `select hold_id as id, key_id as "keyId", ${MS("since")} as "sinceMs" from quarantine where key_id = any ($1::uuid[])`;
const HOUSE = `select hold_id || ' ' || kind as id, key_id as "keyId", kind, amount, unit, ${MS("at")} as "atMs"
  from house where key_id = any ($1::uuid[])`;
const BORNE = `select key_id || ' ' || extract(epoch from minute)::bigint / 60 as id, key_id as "keyId",
  (extract(epoch from minute) / 60)::float8 as minute, caused::bigint, failed::bigint from borne where key_id = any ($1::uuid[])`;
const RECORDS = `select id, key_id as "keyId", cost, outcome, ${MS("at")} as "atMs"
  from usage_record where key_id = any ($1::uuid[])`;

/** What a database knows of some keys and processes. */
export async function readState(
  queryable: Queryable,
  { keyIds, processIds }: { keyIds: string[]; processIds: string[] },
): Promise<State> {
  const read = async <Row>(sql: string, ids: string[]): Promise<Map<string, Row>> => {
    const rows = await queryable.query<Row & { id: string }>(sql, [ids]);
    return new Map(rows.map(({ id, ...row }) => [id, row as Row]));
  };
  return {
    accounts: await read<Account>(ACCOUNTS, keyIds),
    holds: await read<Hold>(HOLDS, keyIds),
    charges: await read<Charge>(CHARGES, keyIds),
    funding: await read<FundingEntry>(FUNDING, keyIds),
    claims: await read<ClaimEntry>(CLAIMS, keyIds),
    processes: await read<Process>(PROCESSES, processIds),
    quarantine: await read(QUARANTINE, keyIds),
    house: await read<HouseEntry>(HOUSE, keyIds),
    borne: await read<BorneEntry>(BORNE, keyIds),
    records: await read(RECORDS, keyIds),
  };
}

/**
 * The state as it counts at an instant: the last minute's requests, whenever earlier ones were removed, and no claims that have expired,
 * which a sweep removes a few at a time.
 */
export function asOf(state: State, nowMs: number): State {
  const accounts = [...state.accounts].map(([id, account]): [string, Account] => {
    return [id, { ...account, rate: account.rate.filter(({ lastMs }) => lastMs > nowMs - MINUTE_MS) }];
  });
  const claims = [...state.claims].filter(([, { expiresAtMs }]) => expiresAtMs > nowMs);
  return { ...state, accounts: new Map(accounts), claims: new Map(claims) };
}
