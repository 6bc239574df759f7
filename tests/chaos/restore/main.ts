/**
 * `npm run chaos -- restore`: under load a base backup is taken and WAL archived. Then the server is lost and restored, once to a point in
 * time and once as far as the archive goes. What the restored books lack is counted against the lost server's, and against what
 * the gateways' logs say, by the statement that the page on backups gives.
 */
import { readFileSync } from "node:fs";
import { whyUnavailable } from "../../support/postgres.ts";
import type { LedgerState } from "../ledger/evidence.ts";
import { answered, verifyRun } from "../ledger/examine-run.ts";
import { startLoad } from "../ledger/load.ts";
import { createRandom } from "../ledger/random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { readLedger, withClient } from "../ledger/read-ledger.ts";
import { type Gateway, startStage } from "../ledger/stage.ts";
import { startArchived } from "./archive.ts";
import { credits, type Loss, lossBetween, tellLoss } from "./loss.ts";

/** Whole answers between one step and the next. */
const ANSWERS = 100;
/** What is written is in the archive no later than this after it was. */
const ARCHIVE_TIMEOUT_SECONDS = 5;
/** A charge carries the time at which it was made, and is committed a little later. */
const COMMIT_MS = 5_000;
const PAGE = new URL("../../../docs/operate/upgrade-and-back-up.md", import.meta.url);

const reason = whyUnavailable("15");
if (reason !== null) throw new Error(reason);
await using archived = await startArchived(ARCHIVE_TIMEOUT_SECONDS);
const stage = await startStage({ cluster: archived.primary });
try {
  await run();
  console.log("restore: what was lost is known, and nothing else was");
} finally {
  await stage.close();
}

async function run(): Promise<void> {
  const gateways: Gateway[] = [await stage.startGateway(), await stage.startGateway()];
  const key = await stage.makeKey({ credit: 100_000_000_000n });
  const keys = [key, await stage.makeKey({ budget: 1_000_000_000n })] as const;
  const random = createRandom(runSeed());
  const load = startLoad({ stage, gateways: () => gateways, keys: [...keys], random, callers: 12 });
  await answered(stage, ANSWERS);
  await archived.backUp();
  await answered(stage, ANSWERS);
  const target = await now();
  await answered(stage, ANSWERS);
  await archived.archiveAll();
  const archivedAt = await now();
  await answered(stage, ANSWERS);
  await archived.lose();
  await load.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  const said = gateways.flatMap((gateway) =>
    gateway
      .output()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"')),
  );
  // Its disk is there after all, so that the run knows what nobody else can know.
  await archived.primary.start();
  const lost = await readLedger(archived.primary.url());
  await archived.primary.stop();

  await tryRestore({ name: "to a point in time", target, sureUntilMs: target.getTime(), lost, said });
  await tryRestore({ name: "as far as the archive goes", target: null, sureUntilMs: archivedAt.getTime(), lost, said });
}

type Attempt = { name: string; target: Date | null; sureUntilMs: number; lost: LedgerState; said: readonly string[] };

async function tryRestore({ name, target, sureUntilMs, lost, said }: Attempt): Promise<void> {
  const restored = await archived.restore(target);
  try {
    stage.moveTo(restored);
    const kept = await readLedger(restored.url());
    const loss = lossBetween(lost, kept, stage.clients);
    console.log(`${name}: of ${lost.charges.length} charges ${kept.charges.length} are there; ${tellLoss(loss)}`);
    const early = lost.charges.filter(({ holdId, atMs }) => loss.holdIds.has(holdId) && atMs < sureUntilMs - COMMIT_MS);
    if (early.length > 0) throw new Error(`${early.length} charges from before the point are lost`);
    if (loss.invented > 0) throw new Error(`${loss.invented} charges are there that were never made`);
    await verifyRun(stage);
    await compareWithLogs(restored.url(), said, { loss, lost });
    await serveAgain();
  } finally {
    await restored.close();
  }
}

/** The page's own statement finds in the logs what the books lack. */
async function compareWithLogs(
  url: string,
  said: readonly string[],
  { loss, lost }: { loss: Loss; lost: LedgerState },
) {
  const [, sql = ""] = /```sql\n(create temporary table said.*?)```/s.exec(readFileSync(PAGE, "utf8")) ?? [];
  const [create = "", select = ""] = sql.split(/^\\copy.*$/m);
  const rows = await withClient(url, async (client) => {
    await client.query(create);
    await client.query("insert into said select * from unnest($1::jsonb[])", [said]);
    return (await client.query<{ key_id: string; requests: string; cost: string }>(select)).rows;
  });
  const onCredit = new Set(lost.balances.filter(({ unit }) => unit === "credit").map(({ keyId }) => keyId));
  const found = rows.filter(({ key_id: keyId }) => onCredit.has(keyId));
  const cost = found.reduce((sum, { cost: part }) => sum + BigInt(Math.round(Number(part) * 1e9)), 0n);
  console.log(
    `by the logs: ${rows.reduce((sum, { requests }) => sum + Number(requests), 0)} requests are not in the books, ` +
      `${credits(cost)} credits (the lost books said ${credits(loss.credit)})`,
  );
  if (cost !== loss.credit) throw new Error("the logs and the lost books differ");
}

/** Gateways start on the restored books, end what was open, and serve. */
async function serveAgain(): Promise<void> {
  const gateway = await stage.startGateway();
  const key = await stage.makeKey({ credit: 1_000_000_000n });
  const { status } = await stage.ask({ gateway, key, model: "fast" });
  if (status !== 200) throw new Error(`the restored books do not serve: ${status}`);
  const restMs = await stage.untilNothingHeld();
  console.log(`nothing is held ${(restMs / 1_000).toFixed(1)} s after a gateway serves again`);
  await verifyRun(stage);
  gateway.signal("SIGKILL");
  await gateway.ended;
}

function now(): Promise<Date> {
  return withClient(archived.primary.url(), async (client) => {
    const { rows } = await client.query<{ now: Date }>("select now() as now");
    return rows[0]?.now ?? new Date(0);
  });
}
