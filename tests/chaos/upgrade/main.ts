/**
 * `npm run chaos -- upgrade [--from REF]`: gateways of an earlier version serve under load while the database is migrated by this
 * one; gateways of this version join; those of the earlier one are stopped. Then the witnesses are joined.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MAIN } from "../../support/run-tollgate.ts";
import { whyUnavailable } from "../../support/postgres.ts";
import { examineRun, tellPhase } from "../ledger/examine-run.ts";
import { startLoad } from "../ledger/load.ts";
import { openStreams } from "../ledger/open-streams.ts";
import { createRandom } from "../ledger/random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { type Gateway, startStage } from "../ledger/stage.ts";
import { checkOut } from "./check-out.ts";
import { previousVersion } from "./previous.ts";

const PHASE_MS = 8_000;
const STREAMS = 30;
/** Of the requests of a phase, so many may be refused with 503 or meet a gateway that stops; of fewer than a hundred, as of a hundred. */
const REFUSED_SHARE = 0.02;

const { values } = parseArgs({ options: { from: { type: "string" } } });
const from = values.from ?? previousVersion();
const reason = whyUnavailable("15");
if (reason !== null) throw new Error(reason);
await using earlier = await checkOut(from);
const seed = runSeed();
console.log(`from ${from} (${earlier.title}) to this tree, seed ${seed}`);

const stage = await startStage({ main: earlier.main });
try {
  await upgrade();
  console.log("upgrade: sound");
} finally {
  await stage.close();
}

async function upgrade(): Promise<void> {
  const old = [await stage.startGateway(), await stage.startGateway()];
  const gateways: Gateway[] = [...old];
  const key = await stage.makeKey({ credit: 100_000_000_000n });
  const keys = [
    key,
    await stage.makeKey({ credit: 5_000_000n }),
    await stage.makeKey({ budget: 1_000_000_000n }),
  ] as const;
  const random = createRandom(seed);
  await using load = startLoad({ stage, gateways: () => gateways, keys: [...keys], random, callers: 12 });
  const opened = [await openStreams({ stage, gateways: old, key, count: STREAMS })];
  const phase = phases();

  await sleep(PHASE_MS);
  const before = phase("earlier version alone");
  stage.useProgram(MAIN);
  const startedMs = performance.now();
  const migrated = await stage.tollgate("migrate");
  if (migrated.code !== 0) throw new Error(`migrate: ${migrated.stderr}`);
  console.log(`${migrated.stderr.trim()}\nmigrated in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  const during = phase("while the database is migrated");

  await sleep(PHASE_MS);
  const alone = phase("earlier version on the migrated database");
  gateways.push(await stage.startGateway(), await stage.startGateway());
  opened.push(await openStreams({ stage, gateways, key, count: STREAMS }));
  await sleep(PHASE_MS);
  const both = phase("both versions");

  gateways.splice(0, old.length);
  const codes = await Promise.all(old.map((gateway) => gateway.stop()));
  await sleep(PHASE_MS);
  const after = phase("this version alone");
  await load.stop();
  const streams = (await Promise.all(opened.map(({ ended }) => ended))).flat();
  const broken = streams.filter(({ terminalAtMs }) => terminalAtMs === null).length;
  console.log(
    `${streams.length} long streams, ${broken} broken; gateways of the earlier version ended with ${codes.join(", ")}`,
  );

  const refused = Math.max(
    ...[before, during, alone, both, after].map(({ unavailable, asked }) => unavailable / Math.max(100, asked)),
  );
  console.log(`at most ${(100 * refused).toFixed(1)} % of a phase refused with 503 or not answered`);
  if (refused > REFUSED_SHARE) throw new Error(`more than ${100 * REFUSED_SHARE} % refused`);
  const bugs = stage.clients.filter(({ status }) => status === 500).length;
  if (bugs > 0) throw new Error(`${bugs} answers with status 500`);
  if (broken > 0) throw new Error(`${broken} streams broken`);
  await examineRun(stage, "upgrade");
}

/** Tells of the attempts that were sent since the last time. */
function phases(): (name: string) => { unavailable: number; asked: number } {
  let sinceMs = 0;
  return (name) => {
    const untilMs = Date.now();
    const sent = stage.clients.filter(({ sentAtMs }) => sentAtMs >= sinceMs && sentAtMs < untilMs);
    sinceMs = untilMs;
    return tellPhase(name, sent);
  };
}
