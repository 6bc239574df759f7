/**
 * Fuzzes every public route of a gateway on a PostgreSQL of its own.
 *
 *   FUZZ_SEED=1 node scripts/fuzz.ts [--requests 200000] [--minutes M] [--folder DIR]   a run; failures are written as files
 *   node scripts/fuzz.ts --replay FILE                                                  one of those files again
 *
 * A run ends with schemathesis on the gateway's own document, `--examples` per operation (0: none), where Python can get it.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Failure, fuzz } from "../tests/fuzz/fuzz.ts";
import { readCase, writeCase } from "../tests/fuzz/fuzz-case.ts";
import { replay } from "../tests/fuzz/replay.ts";
import { askSchemathesis } from "../tests/fuzz/schemathesis.ts";
import { startFuzzStage } from "../tests/fuzz/stage.ts";
import { LONGEST_STRETCH_MS } from "../tests/support/stretch/stretches.ts";

const MOST_GROWTH = 1.2;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "200000" },
    replay: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
    examples: { type: "string", default: "50" },
    folder: { type: "string", default: "fuzz-failures" },
  },
});
const progress = (text: string): void => console.error(`fuzz: ${text}`);
const stage = await startFuzzStage();
try {
  if (values.replay === undefined) await run();
  else await repeat(values.replay);
} finally {
  await stage.close();
}

async function run(): Promise<void> {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000_000);
  progress(`FUZZ_SEED=${seed}`);
  const limitMs = Number(values.minutes) * 60_000;
  const report = await fuzz({ stage, seed, requests: Number(values.requests), limitMs, progress });
  const { early, late } = report.residentKib;
  console.log(report.tally.table());
  console.log(`${report.requests} requests in ${report.seconds.toFixed(0)} s, seed ${seed}`);
  const { ms = 0, what = "nothing" } = report.longestStretch ?? {};
  console.log(
    `longest stretch of the main thread: ${ms} of ${LONGEST_STRETCH_MS} ms of processor time, called for ${what}`,
  );
  console.log(`memory: ${early} KiB in the second quarter, ${late} KiB in the last`);
  for (const problem of report.vital) console.log(`GATEWAY ${problem}`);
  for (const [index, failure] of report.failures.entries()) console.log(`FAILED ${kept(failure, `${seed}-${index}`)}`);
  if (late > early * MOST_GROWTH) console.log(`GATEWAY memory grew by more than ${MOST_GROWTH}`);
  const opinion = await secondOpinion(seed);
  process.exitCode =
    opinion === "failed" || report.failures.length + report.vital.length > 0 || late > early * MOST_GROWTH ? 1 : 0;
}

async function secondOpinion(seed: number): Promise<string> {
  if (Number(values.examples) === 0 || !stage.gateway.alive()) return "not asked";
  progress("schemathesis");
  const { verdict, output } = await askSchemathesis(stage, { seed, examples: Number(values.examples) });
  console.log(`schemathesis: ${verdict.toUpperCase()}`);
  console.log(verdict === "failed" ? output : (/^.*generated,.*$/m.exec(output)?.[0] ?? output).trim());
  return verdict;
}

function kept(failure: Failure, name: string): string {
  mkdirSync(values.folder, { recursive: true });
  const file = join(values.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ ...failure, fuzzCase: writeCase(failure.fuzzCase) }, null, 2));
  return `${failure.fuzzCase.lane} on ${failure.fuzzCase.route}: ${failure.problems.join("; ")}\n  replay with --replay ${file}`;
}

async function repeat(file: string): Promise<void> {
  const { fuzzCase } = JSON.parse(readFileSync(file, "utf8")) as { fuzzCase: unknown };
  const { said, problems } = await replay(stage, readCase(fuzzCase));
  console.log(said);
  for (const problem of problems) console.log(`FAILED ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
