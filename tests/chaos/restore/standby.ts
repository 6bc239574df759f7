/**
 * `npm run chaos -- standby`: the primary dies under load and its standby is promoted, as an operator without a failover manager does it.
 * What the promoted books lack is counted against the dead server's: with an asynchronous standby, with one that was a second
 * behind, and with a synchronous one.
 */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { promote, setReplication, startStandbyOf } from "../../support/postgres-standby.ts";
import { until } from "../../support/until.ts";
import { answered, verifyRun } from "../ledger/examine-run.ts";
import { startLoad } from "../ledger/load.ts";
import { createRandom } from "../ledger/random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { readLedger, withClient } from "../ledger/read-ledger.ts";
import { startStage } from "../ledger/stage.ts";
import { type Loss, lossBetween, tellLoss } from "./loss.ts";

type Kind = { name: string; synchronous: boolean; behindMs: number };

const KINDS: readonly Kind[] = [
  { name: "asynchronous", synchronous: false, behindMs: 0 },
  { name: "asynchronous, a second behind", synchronous: false, behindMs: 1_000 },
  { name: "synchronous", synchronous: true, behindMs: 0 },
];
const ANSWERS = 150;

const reason = whyUnavailable("15");
if (reason !== null) throw new Error(reason);
for (const kind of KINDS) {
  const loss = await promoteUnderLoad(kind);
  if (kind.synchronous && loss.charges > 0) throw new Error("a synchronous standby lost charges");
  if (kind.behindMs > 0 && loss.acknowledged === 0) throw new Error("nothing was lost, so nothing was measured");
}
console.log("standby: as the page says");

async function promoteUnderLoad({ name, synchronous, behindMs }: Kind): Promise<Loss> {
  await using parts = new AsyncDisposableStack();
  const primary = parts.adopt(await startCluster(), (it) => it.close());
  const standby = parts.adopt(await startStandbyOf(primary), (it) => it.close());
  await setReplication(primary, synchronous ? "sync" : "async");
  const stage = parts.adopt(await startStage({ cluster: primary, otherHosts: [`127.0.0.1:${standby.port}`] }), (it) =>
    it.close(),
  );
  const gateways = [await stage.startGateway(), await stage.startGateway()];
  const keys = [
    await stage.makeKey({ credit: 100_000_000_000n }),
    await stage.makeKey({ budget: 1_000_000_000n }),
  ] as const;
  const load = startLoad({
    stage,
    gateways: () => gateways,
    keys: [...keys],
    random: createRandom(runSeed()),
    callers: 12,
  });
  await answered(stage, ANSWERS);

  const sender = behindMs > 0 ? senderOf(primary) : null;
  if (sender !== null) process.kill(sender, "SIGSTOP");
  await sleep(behindMs);
  const diedMs = performance.now();
  const stopped = primary.stop({ mode: "immediate" });
  if (sender !== null) process.kill(sender, "SIGKILL");
  await stopped;
  await promote(standby);
  stage.moveTo(standby);
  const served = async (): Promise<boolean> =>
    (await stage.ask({ gateway: gateways[0] ?? { url: "" }, key: keys[0], model: "fast" })).status === 200;
  await until(served, "a gateway serves again", 60_000);
  const awayMs = performance.now() - diedMs;
  await load.stop();
  // A hold whose end was lost stays until its deadline, or until its process has ended and another one sweeps.
  const left = await held(standby);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  const sweeper = await stage.startGateway();
  await stage.untilNothingHeld();
  await verifyRun(stage);
  sweeper.signal("SIGKILL");
  await sweeper.ended;

  // Fenced: nobody is left who could turn to it. So that the run knows what nobody else can know.
  await primary.start();
  const [had, has] = [await readLedger(primary.url()), await readLedger(standby.url())];
  const loss = lossBetween(had, has, stage.clients);
  console.log(
    `${name}: of ${had.charges.length} charges ${tellLoss(loss)}; ${left} holds whose end was lost; serves again after ${(awayMs / 1_000).toFixed(1)} s`,
  );
  return loss;
}

/** The process of the primary that sends to the standby. */
function senderOf(primary: Cluster): number {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  for (const line of lines) {
    const [pid, parent, ...words] = line.trim().split(/\s+/);
    if (Number(parent) === primary.pid() && words.join(" ").includes("walsender")) return Number(pid);
  }
  throw new Error("the primary sends to nobody");
}

function held(cluster: Cluster): Promise<number> {
  return withClient(cluster.url(), async (client) => {
    const { rows } = await client.query<{ holds: number }>("select count(*)::int as holds from hold");
    return rows[0]?.holds ?? 0;
  });
}
