import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../tests/support/postgres.ts";
import { readDiskFacts } from "./disk-store.ts";

const reason = whyUnavailable("15");

describe.skipIf(reason !== null)(`the disk of a server${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let cluster: Cluster;
  const clients: Client[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ version: "15", settings: { max_wal_size: "32MB", min_wal_size: "32MB" } });
    const admin = await as("postgres");
    await admin.query("create role plain login");
    await admin.query("create role seeing login in role pg_monitor");
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await cluster?.close();
  });

  async function as(role: string): Promise<Client> {
    const client = new Client({ connectionString: cluster.superuserUrl.replace("postgres@", `${role}@`) });
    clients.push(client);
    await client.connect();
    return client;
  }

  const readAs = async (role: string) => {
    const client = await as(role);
    return readDiskFacts({ query: async (sql) => (await client.query(sql)).rows });
  };

  test("a role without rights measures its database and is refused nothing; pg_monitor sees the WAL too", async () => {
    const [plain, seeing] = [await readAs("plain"), await readAs("seeing")];

    expect(plain).toMatchObject({ walBytes: null, slotsBeyondLimit: [], slotHeldBytes: null, slotSafeBytes: null });
    expect(plain.databaseBytes).toBeGreaterThan(1_000_000);
    expect(plain.tablespaceBytes).toBeGreaterThan(plain.databaseBytes);
    expect(seeing.tablespaceBytes).toBeGreaterThan(plain.tablespaceBytes);
    expect(seeing.walBytes).toBeGreaterThanOrEqual(16 * 1024 * 1024);
  });

  test("any role sees the slot that holds back more than max_wal_size", async () => {
    const admin = await as("postgres");
    await admin.query("select pg_create_physical_replication_slot('forgotten', true)");
    for (let segment = 0; segment < 5; segment++) {
      await admin.query("select pg_logical_emit_message(false, 'fills', 'a segment')");
      await admin.query("select pg_switch_wal()");
    }

    const { slotsBeyondLimit, slotHeldBytes } = await readAs("plain");

    expect(slotsBeyondLimit).toEqual(["forgotten"]);
    expect(slotHeldBytes).toBeGreaterThan(4 * 16 * 1024 * 1024);
  });
});
