import type { Queryable } from "../../src/db/database.ts";
import type { Chain, Key, State } from "./state.ts";

const MINUTE_MS = 60_000;
const MS = (column: string): string =>
  `case when isfinite(${column}) then (extract(epoch from ${column}) * 1000)::float8 else extract(epoch from ${column})::float8 end`;
const OURS = "select id from counter_anywhere where account_id = any ($1::uuid[]) or key_id = any ($1::uuid[])";
const CHAIN = `case when h.id is not null then json_build_object('accounts', h.accounts, 'own', h.own,
  'counters', case when h.own = 0 then h.counters else h.own || h.counters end) end as chain`;
const PAIR = (credits: string, tokens: string): string => `array[${credits}, ${tokens}]::bigint[]::text[]`;

/** Names in double quotes are those of `State`, so that rows need no translation. */
const ACCOUNTS = `select id, parent_id as "parentId" from account where id = any ($1::uuid[])`;
const KEYS = `select b.key_id as id, b.mode_unit as unit, k.account_id as "accountId", b.version::int, k.status, coalesce(b.counter, 0) as own,
  coalesce(b.counters, '{}') as counters, b.spent,
  case when isfinite(b.today) then (b.today - date '1970-01-01')::float8 else '-infinity'::float8 end as day,
  b.today_spend as "todaySpend", b.last_cost as "lastCost", b.requests, b.tokens_in as "tokensIn", b.tokens_out as "tokensOut",
  coalesce((select json_agg(json_build_object('lastMs', (s >> 10) / 1000, 'count', s & 1023) order by n)
    from unnest(b.rate) with ordinality u (s, n)), '[]') as rate
  from balance b join key k on k.id = b.key_id where b.key_id = any ($1::uuid[])`;
const COUNTERS = `select id, account_id as "accountId", key_id as "keyId", kind, unit, models, amount::bigint, period, period_no::int as "periodNo",
  ${MS("period_from")} as "periodFromMs", ${MS("period_ends_at")} as "periodEndsAtMs", revision, due, fundings::int,
  closed_at is not null as closed, posted, held, older_held as "olderHeld", used, funded, refunded
  from counter_anywhere where account_id = any ($1::uuid[]) or key_id = any ($1::uuid[])`;
const HOLDS = `select o.id, o.key_id as "keyId", ${CHAIN}, ${PAIR("o.credits", "o.tokens")} as granted, process_id as "processId",
  checkpoint_credits::bigint as credits, coalesce(checkpoint_usage[1], 0) as input, coalesce(checkpoint_usage[5], 0) as output,
  checkpoint_seq as seq, content_delivered as delivered, ${MS("admitted_at")} as "admittedAtMs", ${MS("deadline")} as "deadlineMs"
  from hold o left join chain h on h.id = o.chain where o.key_id = any ($1::uuid[])`;
const CHARGES = `select c.hold_id as id, b.key_id as "keyId", ${CHAIN}, ${PAIR("c.granted_credits", "c.granted_tokens")} as granted,
  ${PAIR("c.credits", "c.tokens")} as charged, k.name as kind, c.input, c.output, c.reported, ${MS("c.admitted_at")} as "admittedAtMs",
  ${MS("c.at")} as "atMs"
  from charge c join balance b on b.key_no = c.key_no join charge_kind k on k.no = c.kind left join chain h on h.id = c.chain
 where b.key_id = any ($1::uuid[])`;
const REFUNDS = `select r.hold_id || ' ' || r.reference as id, b.key_id as "keyId", r.hold_id as "holdId", r.kind,
  ${PAIR("r.credits", "r.tokens")} as amounts, ${MS("r.at")} as "atMs"
  from refund r join balance b on b.key_no = r.key_no where b.key_id = any ($1::uuid[])`;
const FUNDING = `select regexp_replace(reference, '^#open:.*', '#open') as id, counter, kind, amount, period_no::int as "periodNo", seq::int, period, ${MS("at")} as "atMs"
  from funding where counter in (${OURS})`;
const THRESHOLDS = `select counter as id, counter, marks::text[] from threshold where counter in (${OURS})`;
const NOTICES = `select period_no || ' ' || revision || ' ' || value
    || repeat(' again', (row_number() over (partition by counter, period_no, revision, value) - 1)::int) as id,
  counter, unit, period, period_no::int as "periodNo", revision, kind, value, cause, amount, used, posted, held,
  case when renews_at is not null then ${MS("renews_at")} end as "renewsAtMs", ${MS("at")} as "atMs"
  from notice where counter in (${OURS})`;
const CLAIMS = `select key_id || ' ' || encode(key_sha256, 'hex') as id, encode(fingerprint, 'hex') as fingerprint,
  state, hold_id as "holdId", case when body is not null then
    json_build_object('status', status, 'contentType', content_type, 'body', encode(body, 'hex')) end as answer,
  ${MS("expires_at")} as "expiresAtMs" from idempotency where key_id = any ($1::uuid[])`;
const PROCESSES = `select id, ${MS("renewing_since")} as "renewingSinceMs", ${MS("lease_until")} as "leaseUntilMs", timeline::int
  from process where id = any ($1::uuid[])`;
const QUARANTINE = `select hold_id as id, key_id as "keyId", ${MS("since")} as "sinceMs" from quarantine where key_id = any ($1::uuid[])`;
const HOUSE = `select hold_id || ' ' || kind || ' ' || unit as id, key_id as "keyId", kind, amount, unit, ${MS("at")} as "atMs"
  from house where key_id = any ($1::uuid[])`;
const BEARER = `whose || case when account then ' account ' else ' payer ' end || unit`;
const BORNE = `select ${BEARER} || ' ' || extract(epoch from minute)::bigint / 60 as id, ${BEARER} as bearer,
  (extract(epoch from minute) / 60)::float8 as minute, caused::bigint, failed::bigint from borne where whose = any ($1::uuid[]) and caused + failed > 0`;

export type Ids = { keyIds: string[]; accountIds: string[]; processIds: string[] };
type Pair = [string | null, string | null];
type Row = Record<string, unknown>;

/** What a database knows of some keys, accounts and processes. `numberOf` says what the test calls a counter. */
export async function readState(queryable: Queryable, ids: Ids, numberOf: (counter: number) => number): Promise<State> {
  const whose = [...ids.keyIds, ...ids.accountIds];
  type Tables = Record<string, (Row & { id: string | number })[]>;
  const [row] = await queryable.query<{ state: Tables }>("select test_state($1::uuid[], $2::uuid[]) as state", [
    whose,
    ids.processIds,
  ]);
  const tables = Object.entries(row?.state ?? {}).map(([table, rows]) => {
    const entries = rows.map(({ id, ...entry }): [string, Row] => {
      const read = readRow(entry, numberOf);
      const name =
        typeof id === "number" ? String(numberOf(id)) : "counter" in read ? `${String(read["counter"])} ${id}` : id;
      return [name, read];
    });
    return [table, new Map(entries)] as const;
  });
  return Object.fromEntries(tables) as unknown as State;
}

/**
 * One statement: a state is read after every command. To plan it takes ten times as long as to run it, and in a function a session plans it
 * once.
 */
export const STATE_FUNCTION = `create function test_state(uuid[], uuid[]) returns json language plpgsql stable as $whole$
begin
  return json_build_object(${Object.entries({
    accounts: ACCOUNTS,
    keys: KEYS,
    counters: COUNTERS,
    holds: HOLDS,
    charges: CHARGES,
    refunds: REFUNDS,
    funding: FUNDING,
    thresholds: THRESHOLDS,
    notices: NOTICES,
    claims: CLAIMS,
    processes: PROCESSES.replace("$1", "$2"),
    quarantine: QUARANTINE,
    house: HOUSE,
    borne: BORNE,
  } satisfies Record<keyof State, string>)
    .map(([table, sql]) => `'${table}', coalesce((select json_agg(q) from (${sql}) q), '[]')`)
    .join(", ")});
end
$whole$`;

/** What is a bigint there is one here. */
const BIGINTS = new Set(
  "spent todaySpend lastCost requests tokensIn tokensOut amount due posted held olderHeld used funded refunded credits value caused failed".split(
    " ",
  ),
);

/** Pairs become amounts, and numbers of counters those that the test knows. */
function readRow(row: Row, numberOf: (counter: number) => number): Row {
  const read: Row = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(name, value)]));
  for (const name of ["granted", "charged", "amounts"]) if (name in row) read[name] = amountsOf(row[name] as Pair);
  if (row["chain"]) {
    const { accounts, own, counters } = row["chain"] as Chain;
    read["chain"] = { accounts, own: own === 0 ? 0 : numberOf(own), counters: counters.map(numberOf) };
  }
  if (Array.isArray(row["counters"]))
    read["counters"] = (row["counters"] as number[]).map(numberOf).sort((a, b) => a - b);
  if (typeof row["own"] === "number") read["own"] = row["own"] === 0 ? 0 : numberOf(row["own"]);
  if (typeof row["counter"] === "number") read["counter"] = numberOf(row["counter"]);
  return read;
}

function plainValue(name: string, value: unknown): unknown {
  if (BIGINTS.has(name) && typeof value === "number") return BigInt(value);
  return value === "Infinity" ? Infinity : value === "-Infinity" ? -Infinity : value;
}

const amountsOf = ([credits, tokens]: Pair) => ({
  credits: credits === null ? null : BigInt(credits),
  tokens: tokens === null ? null : BigInt(tokens),
});

/**
 * The state as it counts at an instant: the last minute's requests, whenever earlier ones were removed, and no claims that have expired,
 * which a sweep removes a few at a time.
 */
export function asOf(state: State, nowMs: number): State {
  const keys = [...state.keys].map(([id, key]): [string, Key] => {
    return [
      id,
      { ...key, rate: key.rate.filter(({ lastMs }) => lastMs > nowMs - MINUTE_MS && lastMs <= nowMs + MINUTE_MS) },
    ];
  });
  const ordered = <Of extends { chain: Chain | null }>(rows: Map<string, Of>): Map<string, Of> =>
    new Map([...rows].map(([id, row]) => [id, { ...row, chain: row.chain && sorted(row.chain) }]));
  const claims = [...state.claims].filter(([, { expiresAtMs }]) => expiresAtMs > nowMs);
  return {
    ...state,
    keys: new Map(keys),
    claims: new Map(claims),
    holds: ordered(state.holds),
    charges: ordered(state.charges),
  };
}

const sorted = (chain: Chain): Chain => ({ ...chain, counters: chain.counters.toSorted((a, b) => a - b) });
