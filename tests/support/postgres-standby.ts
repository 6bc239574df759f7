import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { type Cluster, runAsServer, startCluster } from "./postgres-cluster.ts";
import { until } from "./until.ts";

/** A standby that streams from the primary, made as an operator would make it. */
export const startStandbyOf = (
  primary: Cluster,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Cluster> =>
  startCluster({
    settings: {
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres`,
      hot_standby: "on",
      ...settings,
    },
    fill: async ({ dataFolder, binFolder }) => {
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"];
      await runAsServer(join(binFolder, "pg_basebackup"), ["-D", dataFolder, ...source, "-c", "fast", "--no-sync"]);
      await writeFile(join(dataFolder, "standby.signal"), "");
    },
  });

/** Has the primary wait for its standby, or not, and waits until it does so. */
export async function setReplication(primary: Cluster, state: "sync" | "async"): Promise<void> {
  const client = new Client({ connectionString: primary.url() });
  await client.connect();
  try {
    await client.query(`alter system set synchronous_standby_names = '${state === "sync" ? "*" : ""}'`);
    await client.query("select pg_reload_conf()");
    const sql = "select from pg_stat_replication where sync_state = $1";
    await until(async () => (await client.query(sql, [state])).rowCount === 1, `the standby is ${state}`, 30_000);
  } finally {
    await client.end();
  }
}

/** Resolves when the server takes writes, on a timeline of its own. */
export const promote = ({ binFolder, dataFolder }: Cluster): Promise<void> =>
  runAsServer(join(binFolder, "pg_ctl"), ["promote", "-D", dataFolder, "-w"]);
