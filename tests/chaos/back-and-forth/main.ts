/**
 * `npm run chaos -- back-and-forth [--from REF] [--rounds N]`: two versions on one database under load, there and back again. Without --from
 * they are this version and a later one that is made of it; with it, that of REF and this one.
 */
import { parseArgs } from "node:util";
import { startCluster, whyUnavailable } from "../../support/postgres.ts";
import { MAIN } from "../../support/run-tollgate.ts";
import { examineRun } from "../ledger/examine-run.ts";
import { startStage } from "../ledger/stage.ts";
import { PATIENT } from "../rolling-update/roll.ts";
import { checkOut } from "../upgrade/check-out.ts";
import { goBackAndForth } from "./go-back-and-forth.ts";
import { makeLaterVersion } from "./later-version.ts";

const ANSWERS = 500;

const { values } = parseArgs({ options: { from: { type: "string" }, rounds: { type: "string", default: "3" } } });
const reason = whyUnavailable("15");
if (reason !== null) throw new Error(reason);
await using parts = new AsyncDisposableStack();
const { older, newer } = await versions();
const cluster = parts.adopt(await startCluster({ durable: false }), (it) => it.close());
const settings = { ...PATIENT, TOLLGATE_DRAIN_DELAY_MS: "1000" };
const stage = parts.adopt(await startStage({ main: older, cluster, settings }), (it) => it.close());

const went = await goBackAndForth({
  stage,
  versions: { older, newer },
  callers: 12,
  rounds: Number(values.rounds),
  answers: ANSWERS,
});
for (const { step, text } of went.said) {
  const newerThan = /The database is newer than this program.*/.exec(text)?.[0];
  console.log(newerThan === undefined ? step : `${step}: ${newerThan}`);
}
console.log(`${went.requests} requests, ${went.failed.length} failed, ${went.cut} attempts cut by kills`);
console.log(`answers by version: ${JSON.stringify(went.answers)}`);
if (went.failed.length > 0) throw new Error(went.failed.join("\n"));
if (went.codes.some((code) => code !== 0)) throw new Error("a gateway did not end by itself");
await examineRun(stage, "back and forth");

async function versions() {
  if (values.from === undefined) return { older: MAIN, newer: parts.use(await makeLaterVersion()) };
  const earlier = parts.use(await checkOut(values.from));
  console.log(`from ${values.from} (${earlier.title}) to this tree`);
  return { older: earlier.main, newer: { main: MAIN, table: null } };
}
