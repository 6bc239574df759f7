import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { expectSound, expectVerified } from "../ledger/report.ts";
import { type Stage, startStage } from "../ledger/stage.ts";
import { type Deployment, readDeployment } from "./deployment.ts";
import { failedOf, PATIENT, roll } from "./roll.ts";

const STREAMS = 200;
const PROXY_DELAY_MS = 1_500;
/** Shorter than the chart's, and as much longer than what a node takes to learn of it. */
const DRAIN_DELAY_MS = 4_000;

const unavailable = whyUnavailable("15");
const deployment = readDeployment();
let cluster: Cluster | undefined;
let stage: Stage;

beforeAll(async () => {
  if (unavailable !== null) return;
  const { drain } = deployment.settings;
  cluster = await startCluster({ durable: false });
  stage = await startStage({
    cluster,
    settings: {
      ...PATIENT,
      TOLLGATE_DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      TOLLGATE_DRAIN_DEADLINE_MS: String(drain.deadline_ms),
    },
  });
});
afterAll(async () => {
  await stage?.close();
  await cluster?.close();
});

test.skipIf(unavailable !== null)(
  `a rolling update with ${STREAMS} open streams fails no request, ends every stream, and charges what was delivered${unavailable === null ? "" : ` (skipped: ${unavailable})`}`,
  async () => {
    const { requests, streams, ended } = await roll({
      stage,
      deployment: oftenProbed(deployment),
      replicas: 2,
      streams: STREAMS,
      callers: 6,
      proxyDelayMs: PROXY_DELAY_MS,
      afterwards: 100,
    });

    const late = ended.map((pod) => pod.late);
    console.log(
      `${requests.length} requests, ${streams.length} streams; ${late.join(" and ")} connections after SIGTERM`,
    );
    expect(failedOf(requests)).toEqual([]);
    expect(failedOf(streams)).toEqual([]);
    expect(streams).toHaveLength(STREAMS);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    // Otherwise nothing was tried of what a node that does not know yet does to a pod.
    expect(Math.min(...late)).toBeGreaterThan(0);
    await expectSound(stage, "rolling update");
    await expectVerified(stage);
  },
);

/** Asked more often, and believed as late: a pod that starts is used sooner, and one that stumbles is not given up sooner. */
function oftenProbed({ readiness, ...rest }: Deployment): Deployment {
  const periodMs = 250;
  const failureThreshold = (readiness.failureThreshold * readiness.periodMs) / periodMs;
  return { ...rest, minReadyMs: 0, readiness: { ...readiness, periodMs, failureThreshold } };
}
