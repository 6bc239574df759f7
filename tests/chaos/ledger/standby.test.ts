import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { promote, setReplication, startStandbyOf } from "../../support/postgres-standby.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import { startLoad } from "./load.ts";
import { createRandom } from "./random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { expectServing, expectSound, LONG } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

const TOLD = LONG ? 2_000 : 100;
const SEED = runSeed();

describe.skipIf(whyUnavailable("15"))("a synchronous standby takes over", () => {
  let primary: Cluster;
  let standby: Cluster;
  let stage: Stage;
  let gateways: [Gateway, Gateway];
  let keys: [StageKey, ...StageKey[]];

  beforeAll(async () => {
    primary = await startCluster();
    standby = await startStandbyOf(primary);
    await setReplication(primary, "sync");
    stage = await startStage({ cluster: primary, otherHosts: [`127.0.0.1:${standby.port}`] });
    gateways = await Promise.all([stage.startGateway(), stage.startGateway()]);
    keys = [await stage.makeKey({ credit: 100_000_000_000n }), await stage.makeKey({ budget: 1_000_000_000n })];
  });
  afterAll(async () => {
    await stage?.close();
    await standby?.close();
    await primary?.close();
  });

  test(`the primary dies under load: no acknowledged operation is missing on the standby (TEST_SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    await using load = startLoad({ stage, gateways: () => gateways, keys, random, callers: 30 });
    const toldSoFar = (): number => stage.clients.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
    await until(() => toldSoFar() >= TOLD, "enough answers have been told", 120_000);
    await primary.stop({ mode: "immediate" });
    const told = toldSoFar();
    await promote(standby);
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
  }, 300_000);
});
