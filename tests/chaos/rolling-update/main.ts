/**
 * `npm run chaos -- rolling-update [--from REF]`: a rolling update from an earlier version to this one, with the times of the
 * chart: its probes, its drain, and nodes that take ten seconds to learn of a change.
 */
import { parseArgs } from "node:util";
import { startCluster, whyUnavailable } from "../../support/postgres.ts";
import { examineRun } from "../ledger/examine-run.ts";
import { startStage } from "../ledger/stage.ts";
import { checkOut } from "../upgrade/check-out.ts";
import { previousVersion } from "../upgrade/previous.ts";
import { readDeployment } from "./deployment.ts";
import { failedOf, PATIENT, roll } from "./roll.ts";

const { values } = parseArgs({ options: { from: { type: "string" } } });
const from = values.from ?? previousVersion();
const reason = whyUnavailable("15");
if (reason !== null) throw new Error(reason);
const deployment = readDeployment();
const { drain } = deployment.settings;
await using earlier = await checkOut(from);
console.log(`from ${from} (${earlier.title}) to this tree`);

const cluster = await startCluster({ durable: false });
const stage = await startStage({
  main: earlier.main,
  cluster,
  settings: {
    ...PATIENT,
    TOLLGATE_DRAIN_DELAY_MS: String(drain.delay_ms),
    TOLLGATE_DRAIN_DEADLINE_MS: String(drain.deadline_ms),
  },
});
try {
  const { requests, streams, ended } = await roll({
    stage,
    deployment,
    replicas: 3,
    streams: 200,
    callers: 12,
    proxyDelayMs: 10_000,
    afterwards: 500,
  });
  const failed = [...failedOf(requests), ...failedOf(streams)];
  for (const { name, code, late } of ended) console.log(`${name}: exit ${code}, ${late} new connections after SIGTERM`);
  console.log(`${requests.length} requests and ${streams.length} streams, ${failed.length} failed`);
  if (failed.length > 0) throw new Error(failed.join("\n"));
  if (ended.some(({ code }) => code !== 0)) throw new Error("a pod did not end by itself");
  await examineRun(stage, "rolling update");
} finally {
  await stage.close();
  await cluster.close();
}
