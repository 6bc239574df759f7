import type { Patient } from "../../../src/doctor/patient.ts";
import { quarantinedHold } from "../quarantined-hold.ts";
import { GIBIBYTE } from "./installation.ts";
import { onHost, type WayToBreak } from "./way-to-break.ts";

const shifted =
  (clockAheadMs: number) =>
  async ({ database }: Patient): Promise<Partial<Patient>> => ({
    database: database && {
      ...database,
      inspect: async () => {
        const facts = await database.inspect();
        return facts && { ...facts, clockAheadMs, clockErrorMs: 1 };
      },
    },
  });
const today = "to_char(now() at time zone 'UTC', 'YYYYMMDD')";
const rename = (from: string, to: string): string =>
  `do $$ begin execute format('alter table %I rename to %I', '${from}' || ${today}, '${to}' || ${today}); end $$`;
const PROCESS = "00000000-0000-7000-8000-000000000001";

/** In the database, the ledger, and what the catalogue offers. */
export const SERVICE_WAYS: readonly WayToBreak[] = [
  {
    breaks: "the address of the database",
    url: () => "postgres://tollgate@127.0.0.1:1/tollgate",
    expected: {
      id: "database-reachable",
      status: "failed",
      message: /127\.0\.0\.1:1: .*ECONNREFUSED/,
      fix: /Check that the server runs/,
    },
  },
  {
    breaks: "the name of the database",
    url: ({ cluster }) => cluster.url("nowhere"),
    expected: {
      id: "database-reachable",
      status: "failed",
      message: /database "nowhere" does not exist/,
      fix: /database\.url/,
    },
  },
  {
    breaks: "one of two servers",
    url: (all) => all.url("tollgate").replace(/@([^/]+)\//, "@$1,127.0.0.1:1/"),
    expected: {
      id: "database-reachable",
      status: "warning",
      message: /^127\.0\.0\.1:1: /,
      fix: /remove it from database\.url/,
    },
  },
  {
    breaks: "a migration that was not applied",
    sql: [
      "create table kept as select * from migration where number = (select max(number) from migration)",
      "delete from migration where number = (select number from kept)",
    ],
    undo: ["insert into migration select * from kept", "drop table kept"],
    expected: {
      id: "database-migrations",
      status: "failed",
      message: /^not applied: \d{4}_/,
      fix: /tollgate migrate/,
    },
  },
  {
    breaks: "a migration of a newer version",
    sql: ["insert into migration (number, name, sha256) select max(number) + 1, '0999_later', 'x' from migration"],
    undo: ["delete from migration where name = '0999_later'"],
    expected: {
      id: "database-migrations",
      status: "failed",
      message: /newer than this program: it has 0999_later/,
      fix: /Install the version/,
    },
  },
  {
    breaks: "a migration that was edited",
    sql: ["update migration set sha256 = 'x' || sha256 where name = '0039_baseline'"],
    undo: ["update migration set sha256 = substr(sha256, 2) where name = '0039_baseline'"],
    expected: {
      id: "database-migrations",
      status: "failed",
      message: /0039_baseline was changed after it was applied/,
      fix: /restore the file/,
    },
  },
  {
    breaks: "the server that has the ledger",
    sql: ["update server_line set identifier = identifier + 1"],
    undo: ["update server_line set identifier = identifier - 1"],
    expected: {
      id: "database-ledger",
      status: "failed",
      message: /its ledger was last on/,
      fix: /tollgate ledger adopt/,
    },
  },
  {
    breaks: "a grant of the serving role",
    sql: ["revoke insert on charge from tollgate"],
    undo: ["grant insert on charge to tollgate"],
    expected: {
      id: "database-role",
      status: "failed",
      message: /^tollgate may not insert on charge$/,
      fix: /As tollgate_owner, run `tollgate migrate --serving-role tollgate`/,
    },
  },
  {
    breaks: "what a request writes",
    sql: ["revoke insert on charge from tollgate"],
    undo: ["grant insert on charge to tollgate"],
    expected: {
      id: "database-commits",
      status: "failed",
      message: /the role may not do what the ledger needs \(SQLSTATE 42501\)/,
      fix: /tollgate migrate --serving-role/,
    },
  },
  {
    breaks: "a function of the serving role",
    sql: ["revoke execute on function sweep_v1 from tollgate"],
    undo: ["grant execute on function sweep_v1 to tollgate"],
    expected: {
      id: "database-role",
      status: "failed",
      message: /may not execute sweep_v1/,
      fix: /--serving-role tollgate/,
    },
  },
  {
    breaks: "the journal's protection",
    sql: ["grant update on charge to tollgate"],
    undo: ["revoke update on charge from tollgate"],
    expected: {
      id: "database-role",
      status: "warning",
      message: /may rewrite the journal: update on charge/,
      fix: /--serving-role tollgate/,
    },
  },
  {
    breaks: "the choice of a role",
    url: (all) => all.url("postgres"),
    expected: {
      id: "database-role",
      status: "warning",
      message: /^postgres is a superuser$/,
      fix: /database-roles\.md/,
    },
  },
  {
    breaks: "the seclusion of the tables, as a platform does that publishes every table of a schema",
    sql: ["create role anon", "grant all on key_secret, charge to anon"],
    undo: ["drop owned by anon", "drop role anon"],
    expected: {
      id: "database-role",
      status: "warning",
      message: /^the digests of keys are open to other roles: anon$/,
      fix: /managed-postgresql\.md#supabase/,
    },
  },
  {
    breaks: "the encoding of the database",
    url: ({ cluster }) => cluster.url("ascii"),
    sql: ["create database ascii template template0 encoding 'SQL_ASCII' locale 'C'"],
    undo: ["drop database ascii with (force)"],
    expected: { id: "database-encoding", status: "failed", message: /^SQL_ASCII, not UTF8$/, fix: /encoding 'UTF8'/ },
  },
  {
    breaks: "the size of the pool",
    environment: { TOLLGATE_DATABASE_POOL_SIZE: "200" },
    expected: {
      id: "database-connections",
      status: "failed",
      message: /^2 workers may open 410; the server allows 297 to tollgate$/,
      fix: /max_connections/,
    },
  },
  {
    breaks: "the connection limit of the role",
    sql: ["alter role tollgate connection limit 20"],
    undo: ["alter role tollgate connection limit -1"],
    expected: {
      id: "database-connections",
      status: "failed",
      message: /may open 30; the server allows 20 to tollgate$/,
      fix: /operator\.connections/,
    },
  },
  {
    breaks: "fsync",
    sql: ["alter system set fsync = off", "select pg_reload_conf()", "select pg_sleep(0.2)"],
    undo: ["alter system reset fsync", "select pg_reload_conf()", "select pg_sleep(0.2)"],
    expected: { id: "database-durability", status: "failed", message: /fsync off/, fix: /fsync = on/ },
  },
  {
    breaks: "a required standby",
    environment: { TOLLGATE_LEDGER_REQUIRE_SYNCHRONOUS_STANDBY: "on" },
    expected: {
      id: "database-standby",
      status: "failed",
      message: /every request gets 503/,
      fix: /high-availability\.md/,
    },
  },
  {
    breaks: "the clock",
    patient: shifted(5_000),
    expected: {
      id: "database-clock",
      status: "warning",
      message: /clock is 5\.0 s ahead of this machine's/,
      fix: /NTP/,
    },
  },
  {
    breaks: "the isolation of transactions",
    sql: ["alter role tollgate set default_transaction_isolation = 'serializable'"],
    undo: ["alter role tollgate reset default_transaction_isolation"],
    expected: {
      id: "database-sessions",
      status: "warning",
      message: /are serializable by default/,
      fix: /alter role "tollgate" set default_transaction_isolation/,
    },
  },
  {
    breaks: "the database's disk",
    url: (all) => all.url("postgres"),
    patient: onHost({ spaceOf: () => ({ freeBytes: 5 * GIBIBYTE, totalBytes: 100 * GIBIBYTE }) }),
    expected: {
      id: "database-disk",
      status: "warning",
      message: /^5 GiB \(5%\) free for .*data$/,
      fix: /database's disk/,
    },
  },
  {
    breaks: "the sweep",
    sql: [
      `insert into key (id, bucket, mode) values ('${PROCESS}', 7, 'credit')`,
      `insert into hold (id, key_id, process_id, admitted_at, deadline, credits, key_no, chain, model, price_version, claimed)
       select '${PROCESS}', key_id, '${PROCESS}', now() - interval '1 hour', now() - interval '30 minutes', 10, key_no, chain, 1, 1, false
         from balance where key_id = '${PROCESS}'`,
    ],
    undo: [`delete from hold where id = '${PROCESS}'`],
    expected: {
      id: "ledger-sweep",
      status: "warning",
      message: /^1 reservation not swept for 2 minutes; 0 gateways run$/,
      fix: /Start a gateway/,
    },
  },
  {
    breaks: "a hold that cannot be ended",
    patient: async (_, { superuser }) => {
      await quarantinedHold({ query: async (sql, values = []) => (await superuser.query(sql, [...values])).rows });
      return {};
    },
    undo: ["delete from quarantine", "delete from hold"],
    expected: {
      id: "ledger-quarantine",
      status: "warning",
      message: /^1 request in quarantine$/,
      fix: /tollgate ledger quarantine list/,
    },
  },
  {
    breaks: "the hourly sums",
    sql: ["insert into rollup_owed (hour, why) values (date_trunc('hour', now()) - interval '5 hours', 'void')"],
    undo: ["delete from rollup_owed where why = 'void'"],
    expected: { id: "ledger-sums", status: "warning", message: /:00 UTC is 5 hours late$/, fix: /with duty rollup/ },
  },
  {
    breaks: "the partitions of today",
    sql: [
      `insert into process (id, renewing_since, lease_until) values ('${PROCESS}', now(), now() + interval '1 hour')`,
      rename("charge_", "set_aside_"),
    ],
    undo: ["delete from process", rename("set_aside_", "charge_")],
    expected: {
      id: "ledger-partitions",
      status: "warning",
      message: /^missing for \d{4}-\d\d-\d\d$/,
      fix: /long transaction/,
    },
  },
  {
    breaks: "the price of a model",
    sql: [
      "insert into model (id, owned_by, provider, max_output_tokens) values ('unpriced', 'acme', 'acme', 100)",
      "insert into route (model_id, provider, upstream_model, dialect) values ('unpriced', 'acme', 'x', 'chat')",
    ],
    undo: ["delete from route where model_id = 'unpriced'", "delete from model where id = 'unpriced'"],
    expected: {
      id: "catalogue-models",
      status: "warning",
      message: /^unpriced: not on credit: no price$/,
      fix: /tollgate models price/,
    },
  },
  {
    breaks: "the route of a model",
    sql: ["insert into model (id, owned_by, provider, max_output_tokens) values ('stranded', 'acme', 'acme', 100)"],
    undo: ["delete from model where id = 'stranded'"],
    expected: {
      id: "catalogue-models",
      status: "failed",
      message: /^stranded: no route/,
      fix: /tollgate models add/,
    },
  },
  {
    breaks: "the publication of models",
    sql: ["update model set published = false"],
    undo: ["update model set published = true"],
    expected: {
      id: "catalogue-models",
      status: "warning",
      message: /^none of 1 is published$/,
      fix: /tollgate models publish/,
    },
  },
  {
    breaks: "the credential of a provider",
    environment: { ACME_KEY: "" },
    expected: {
      id: "catalogue-credentials",
      status: "failed",
      message: /^acme: env:ACME_KEY names a variable that is not set/,
      fix: /--credential-stdin/,
    },
  },
  {
    breaks: "the key behind a credential",
    environment: { ACME_KEY: "sk-revoked" },
    expected: {
      id: "catalogue-providers",
      status: "failed",
      message: /^acme: .* rejects the credential with 401$/,
      fix: /Replace the credential/,
    },
  },
  {
    breaks: "the way to a provider",
    sql: [
      "create table kept as select base_url from provider",
      "update provider set base_url = 'http://127.0.0.1:2/v1'",
    ],
    undo: ["update provider set base_url = (select base_url from kept)", "drop table kept"],
    expected: {
      id: "catalogue-providers",
      status: "failed",
      message: /^acme: http:\/\/127\.0\.0\.1:2\/v1 does not answer \(ECONNREFUSED/,
      fix: /tollgate providers test/,
    },
  },
  {
    breaks: "the prices of a list, which are not those in force",
    environment: { TOLLGATE_PRICE_CHECK_LIST: "litellm" },
    sql: [
      `insert into price_check (list, terms, taken_at, ended_at, found_at, changed_at, found)
       values ('litellm', 't', now(), now(), now() - interval '3 hours', now(), '{"models": 2, "differences": [], "unlisted": []}')`,
    ],
    undo: ["delete from price_check"],
    expected: {
      id: "catalogue-prices",
      status: "warning",
      message: /^2 models differ from litellm, 3 hours ago$/,
      fix: /--diff/,
    },
  },
  {
    breaks: "the download of a price list",
    environment: { TOLLGATE_PRICE_CHECK_LIST: "litellm" },
    sql: [
      `insert into price_check (list, terms, taken_at, ended_at, problem, failing_since)
       values ('litellm', 't', now(), now(), 'litellm can''t be read: it answered 404.', now())`,
    ],
    undo: ["delete from price_check"],
    expected: {
      id: "catalogue-prices",
      status: "warning",
      message: /^litellm could not be compared: litellm can't be read: it answered 404\.$/,
      fix: /price_check\.list/,
    },
  },
  {
    breaks: "the check of a price list, which no gateway makes",
    environment: { TOLLGATE_PRICE_CHECK_LIST: "litellm" },
    expected: { id: "catalogue-prices", status: "warning", message: /^not compared yet$/, fix: /Start a gateway/ },
  },
];
