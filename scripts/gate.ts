/** What every change has to pass, step by step: `npm run gate`. From a clean clone, `.ci/run` brings what it needs and calls it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable } from "../tests/bench/table.ts";
import { chooseSteps, gateSteps, type Step } from "./gate/gate-steps.ts";

const USAGE = `npm run gate -- [options]

  --from STEP    this step and those after it
  --only STEPS   these steps, with commas between them
  --times FILE   keeps where the time of the tests went; docs/explain/the-gate.md says how
  --list         the steps
  --help         this text

Stops at the first step that fails. Exit codes: 0 all passed; 1 a step failed; 2 wrong options.`;

const CLOSING = join(".gate", "closing.txt");
const SEED = process.env["TEST_SEED"] ?? seedOfCommit();

process.exitCode = main();

function main(): number {
  let wishes: ReturnType<typeof wishesOf>;
  try {
    wishes = wishesOf();
  } catch (error) {
    console.error(`gate: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const { values, steps } = wishes;
  if (values.help) console.log(USAGE);
  else if (values.list) console.log(steps.map(({ name, about }) => `${name.padEnd(12)} ${about}`).join("\n"));
  else return run(steps);
  return 0;
}

function wishesOf() {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      only: { type: "string" },
      times: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const steps = gateSteps(values.times === undefined ? [] : ["--times", values.times]);
  return { values, steps: chooseSteps(steps, values) };
}

/** A commit draws the same wherever it is tried: who has seen it pass need not be lucky again. Without git, whatever the moment gives. */
function seedOfCommit(): string {
  const { stdout } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { encoding: "utf8" });
  const commit = Number.parseInt(stdout ?? "", 16);
  return String(Number.isNaN(commit) ? Date.now() : commit);
}

/** What the tests say last, the gate says last: its last line is that of the tests. */
function run(steps: readonly Step[]): number {
  mkdirSync(".gate", { recursive: true });
  rmSync(CLOSING, { force: true });
  const rows: string[][] = [];
  let failed = false;
  console.log(`TEST_SEED=${SEED}`);
  for (const { name, about, run: how } of steps) {
    if (failed) {
      rows.push([name, "not started", ""]);
      continue;
    }
    console.log(`\n== ${name}: ${about}`);
    const startedMs = performance.now();
    const [program, ...words] = "script" in how ? ["npm", "run", "--silent", how.script] : how.words;
    const env = { ...process.env, TEST_CLOSING: CLOSING, TEST_SEED: SEED, ...("script" in how ? {} : how.env) };
    const { status, error } = spawnSync(program ?? "", words, { stdio: "inherit", env });
    if (error) console.log(`gate: ${error.message}`);
    failed = status !== 0;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`== ${name}: ${failed ? "FAILED" : "passed"} after ${seconds} s`);
    rows.push([name, failed ? "FAILED" : "passed", seconds]);
  }
  console.log(`\n${markdownTable([["step", "outcome", "seconds"], ...rows])}\n`);
  if (existsSync(CLOSING)) process.stdout.write(readFileSync(CLOSING, "utf8"));
  return failed ? 1 : 0;
}
