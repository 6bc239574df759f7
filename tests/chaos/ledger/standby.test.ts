import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Cluster, runAsServer, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import { startLoad } from "./load.ts";
import { chaosSeed, createRandom } from "./random.ts";
import { withClient } from "./read-ledger.ts";
import { expectServing, expectSound, LONG } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

const TOLD = LONG ? 2_000 : 100;
const SEED = chaosSeed();

describe.skipIf(whyUnavailable("15"))("a synchronous standby takes over", () => {
  let primary: Cluster;
  let standby: Cluster;
  let stage: Stage;
  let gateways: [Gateway, Gateway];
  let keys: [StageKey, ...StageKey[]];

  beforeAll(async () => {
    primary = await startCluster();
    standby = await startStandbyOf(primary);
    await ask(primary, "alter system set synchronous_standby_names = '*'");
    await ask(primary, "select pg_reload_conf()");
    await until(async () => (await syncState(primary)) === "sync", "the standby is synchronous", 10_000);
    stage = await startStage({ cluster: primary, otherHosts: [`127.0.0.1:${standby.port}`] });
    gateways = await Promise.all([stage.startGateway(), stage.startGateway()]);
    keys = [await stage.makeKey({ credit: 100_000_000_000n }), await stage.makeKey({ budget: 1_000_000_000n })];
  }, 90_000);
  afterAll(async () => {
    await stage?.close();
    await standby?.close();
    await primary?.close();
  });

  test(
    `the primary dies under load: no acknowledged operation is missing on the standby (CHAOS_SEED=${SEED})`,
    async () => {
      const random = createRandom(SEED);
      await using load = startLoad({ stage, gateways: () => gateways, keys, random, callers: 30 });
      const toldSoFar = (): number => stage.clients.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
      await until(() => toldSoFar() >= TOLD, "enough answers have been told", 120_000);
      await primary.stop({ mode: "immediate" });
      const told = toldSoFar();
      await runAsServer(join(standby.binFolder, "pg_ctl"), ["promote", "-D", standby.dataFolder, "-w"]);
      const promotedMs = performance.now();
      stage.moveTo(standby);
      await expectServing(stage, gateways, keys[0]);
      const servedAfterMs = performance.now() - promotedMs;
      await sleep(2_000);
      await load.stop();

      console.log(
        `${told} answers told before the primary died; both gateways serve ${servedAfterMs.toFixed(0)} ms after the promotion`,
      );
      await expectSound(stage, "standby");
    },
    LONG ? 240_000 : 120_000,
  );
});

/** A standby that streams from the primary, made as an operator would make it. */
const startStandbyOf = (primary: Cluster): Promise<Cluster> =>
  startCluster({
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres`, hot_standby: "on" },
    fill: async ({ dataFolder, binFolder }) => {
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"];
      await runAsServer(join(binFolder, "pg_basebackup"), ["-D", dataFolder, ...source, "-c", "fast", "--no-sync"]);
      await writeFile(join(dataFolder, "standby.signal"), "");
    },
  });

const ask = (cluster: Cluster, sql: string): Promise<unknown[]> =>
  withClient(cluster.url(), async (client) => (await client.query(sql)).rows as unknown[]);

async function syncState(primary: Cluster): Promise<string | undefined> {
  const [row] = (await ask(primary, "select sync_state from pg_stat_replication")) as { sync_state: string }[];
  return row?.sync_state;
}
