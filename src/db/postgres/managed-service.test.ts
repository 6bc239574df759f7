import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../../tests/support/postgres.ts";
import type { Database } from "../database.ts";
import { troubleOf } from "../trouble.ts";
import { createPostgres } from "./postgres.ts";

const reason = whyUnavailable("15");

describe.skipIf(reason !== null)(
  `a server that withholds what a managed service does${reason === null ? "" : `: skipped, ${reason}`}`,
  () => {
    let cluster: Cluster;
    let superuser: Client;
    let database: Database;
    beforeAll(async () => {
      cluster = await startCluster({ version: "15", durable: false, settings: { allow_system_table_mods: "on" } });
      superuser = new Client({ connectionString: cluster.superuserUrl });
      await superuser.connect();
      await superuser.query("create role plain login");
    });
    afterEach(() => database?.close());
    afterAll(async () => {
      await superuser?.end();
      await cluster?.close();
    });

    const connect = (): Database =>
      (database = createPostgres({
        url: cluster.urlAs("plain", "postgres"),
        poolSize: 1,
        connectTimeoutMs: 5_000,
        statementTimeoutMs: 5_000,
        onError: () => undefined,
      }));

    const refusal = (state: string, message: string): string =>
      `language plpgsql as $$ begin raise exception using errcode = '${state}', message = $m$${message}$m$; end $$`;

    test("its facts are read by a role that may not see standbys, and say so", async () => {
      await superuser.query("revoke select on pg_stat_replication from public");

      const facts = await connect().inspect();
      await superuser.query("grant select on pg_stat_replication to public");

      expect(facts).toMatchObject({
        fsync: false,
        storage: "own",
        replication: { standbys: null, synchronousStandbys: null },
      });
    });

    test("its facts are read where the service does not support the view of standbys", async () => {
      await superuser.query("drop view pg_stat_replication");
      const message = "Function pg_stat_get_wal_senders() is currently not supported for Aurora";
      await superuser.query(`create function refuse() returns int ${refusal("0A000", message)}`);
      await superuser.query(
        "create view pg_catalog.pg_stat_replication as select refuse() as pid, 'sync' as sync_state",
      );
      await superuser.query("grant select on pg_stat_replication to public");

      expect(await connect().inspect()).toMatchObject({ replication: { standbys: null, synchronousStandbys: null } });
    });

    test("a server of Neon is known by its timeline", async () => {
      await superuser.query("alter role plain set neon.timeline_id = 'e1b6a5c0'");

      expect(await connect().inspect()).toMatchObject({ storage: "neon", fsync: false });
      await superuser.query("alter role plain reset neon.timeline_id");
    });

    test("a server that hides its timeline, as Aurora does, is not used, and the error says what to set", async () => {
      const position = "pg_catalog.pg_current_wal_insert_lsn()";
      await superuser.query(`alter function ${position} rename to hidden_position`);
      await superuser.query(
        `create function ${position} returns pg_lsn ${refusal("55000", "wal_level must be set to 'logical'")}`,
      );
      await superuser.query("create table server_line (identifier bigint, timeline int, mark uuid, superseded_by int)");
      await superuser.query("grant select on server_line to plain");

      const error = await connect()
        .query("select 1")
        .catch((thrown: unknown) => thrown);

      expect(troubleOf(error)).toEqual({
        words: "the server does not say on which timeline it writes, as on Aurora",
        fix: expect.stringContaining("rds.logical_replication = 1") as string,
        sqlState: "55000",
      });
    });
  },
);
