import { afterAll, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { MAIN } from "../../support/run-tollgate.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "../ledger/ask.ts";
import { openStreams } from "../ledger/open-streams.ts";
import { expectSound, expectVerified } from "../ledger/report.ts";
import { modelFor, routeFor } from "../ledger/stage-catalogue.ts";
import { type Gateway, type Stage, startStage } from "../ledger/stage.ts";
import { checkOut } from "./check-out.ts";
import { previousVersion } from "./previous.ts";

const STREAMS = 12;
const REQUESTS = 12;

const previous = previousVersion();
const earlier = await checkOut(previous).catch((error: Error) => error.message);
const skipped = whyUnavailable("15") ?? (typeof earlier === "string" ? earlier : null);
let cluster: Cluster | undefined;
let stage: Stage | undefined;
afterAll(async () => {
  await stage?.close();
  await cluster?.close();
  if (typeof earlier !== "string") await earlier[Symbol.asyncDispose]();
});

test.skipIf(skipped !== null)(
  `the previous version serves while this one migrates and takes over, and no charge is lost${skipped === null ? "" : ` (skipped: ${skipped})`}`,
  async () => {
    if (typeof earlier === "string") throw new Error(earlier);
    cluster = await startCluster({ durable: false });
    stage = await startStage({ main: earlier.main, cluster });
    const old = await stage.startGateway();
    const key = await stage.makeKey({ credit: 100_000_000_000n });
    const before = await statuses(stage, old, key);
    const streams = await openStreams({ stage, gateways: [old], key, count: STREAMS, model: "halfway" });

    stage.useProgram(MAIN);
    const pending = await stage.tollgate("migrate", "--status");
    const migrated = await stage.tollgate("migrate");
    const during = await statuses(stage, old, key);
    const gateway = await stage.startGateway();
    const beside = await statuses(stage, gateway, key);
    old.signal("SIGTERM");
    await until(() => old.output().includes('"drain started"'), "the previous version drains");
    await stage.witness.releaseAll();
    const ended = await streams.ended;
    const code = await old.ended;
    const after = await statuses(stage, gateway, key);

    console.log(`from ${previous}: ${pending.stdout.trim()}`);
    expect(pending.code, "nothing to migrate: name an earlier commit in previous.ts").toBe(1);
    expect(migrated.code, migrated.stderr).toBe(0);
    expect([before, during, beside, after]).toEqual(Array.from({ length: 4 }, () => ({ "200": REQUESTS })));
    expect(ended.filter(({ terminalAtMs }) => terminalAtMs === null)).toEqual([]);
    expect(code).toBe(0);
    await expectSound(stage, "upgrade");
    await expectVerified(stage);
  },
);

/** How requests of every format end, one after the other. */
async function statuses(on: Stage, gateway: Gateway, key: StageKey): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let index = 0; index < REQUESTS; index += 1) {
    const route = routeFor(index);
    const asked = { gateway, key, route, model: modelFor(route, "fast"), streamed: index % 2 === 0, maxTokens: 100 };
    const { status, terminalAtMs } = await on.ask(asked);
    const word = terminalAtMs === null ? `${status}, broken off` : String(status);
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}
