/**
 * Runs the suites named on the command line: unit, contract, conformance, chaos, and those of which every model is behind a
 * provider of another format. Further arguments go to vitest. Afterwards, everything the gateways of the run wrote is searched
 * for secrets, and the counts are printed on a line of their own. `--times FILE` keeps where the time went: as data in a file that ends
 * in .json, and otherwise between the marks of a page.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { processorMsOf } from "../tests/support/time-spent.ts";
import { buildProgram } from "./gate/build-program.ts";
import { readTimes, sumTimes, tellTimes, withTimes } from "./gate/time-table.ts";

type Report = {
  numPassedTests: number;
  numPendingTests: number;
  testResults: TestFile[];
};

type TestFile = {
  name: string;
  status: string;
  message: string;
  assertionResults: {
    title: string;
    fullName: string;
    status: string;
    failureMessages?: string[];
    meta?: { onlyStraight?: string };
  }[];
};

const SUITES = new Set([
  "unit",
  "contract",
  "contract-crossed",
  "contract-turned",
  "contract-gemini",
  "conformance",
  "conformance-crossed",
  "conformance-turned",
  "conformance-gemini",
  "chaos",
  "chaos-crossed",
  "chaos-turned",
  "chaos-gemini",
]);
/** What is no suite of tests but a run of its own, by the word after `chaos`. */
const RUNS: Readonly<Record<string, string>> = {
  patroni: "tests/chaos/patroni/main.ts",
  restore: "tests/chaos/restore/main.ts",
  "rolling-update": "tests/chaos/rolling-update/main.ts",
  standby: "tests/chaos/restore/standby.ts",
  upgrade: "tests/chaos/upgrade/main.ts",
};
const words = process.argv.slice(2);
const timesAt = words.indexOf("--times");
const [, timesFile] = timesAt === -1 ? [] : words.splice(timesAt, 2);
if (timesAt !== -1 && timesFile === undefined) throw new Error("--times: the file to write");
const ownRun = words[0] === "chaos" ? RUNS[words[1] ?? ""] : undefined;
if (ownRun !== undefined) {
  process.exit(spawnSync(process.execPath, [ownRun, ...words.slice(2)], { stdio: "inherit" }).status ?? 1);
}
const long = words.includes("--long");
const suites = words.filter((word) => SUITES.has(word));
const rest = words.filter((word) => !SUITES.has(word) && word !== "--long");

const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
const reportFile = join(folder, "report.json");
const unhandledFile = join(folder, "unhandled.txt");
const timeLines = join(folder, "times.jsonl");
const output = join(folder, "output");
const program = await buildProgram(`program-${process.pid}`);
const startedMs = performance.now();
try {
  const run = spawnSync(
    "vitest",
    [
      "run",
      ...suites.flatMap((suite) => ["--project", suite]),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${reportFile}`,
      `--reporter=${join(import.meta.dirname, "..", "tests", "support", "unhandled-errors.ts")}`,
      ...rest,
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        TEST_OUTPUT: output,
        TEST_UNHANDLED: unhandledFile,
        TEST_PROGRAM: program.folder,
        TEST_TIMES: timeLines,
        NODE_COMPILE_CACHE: join(folder, "compiled"),
        ...(long ? { TEST_LONG: "1" } : {}),
      },
    },
  );
  tellWhereTheTimeWent();
  const leaked = existsSync(output) ? leaks() : 0;
  const { passed, skipped, straight, failures: failedTests } = counts();
  const failures = [...failedTests, ...unhandled()];
  if (leaked > 0)
    failures.push("FAILED what the run wrote contains a secret; scripts/secret-canary.ts said above which");
  if (run.status !== 0 && failures.length === 0) failures.push(`FAILED vitest ended with ${run.status ?? run.signal}`);
  for (const line of straight) console.log(line);
  if (straight.length > 0) console.log(`${straight.length} of those skipped hold only where nothing is translated`);
  // Once more at the end: of a long output, that is what is kept and read.
  for (const line of failures) console.log(line);
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  program.remove();
}

function tellWhereTheTimeWent(): void {
  if (!existsSync(timeLines) || !existsSync(reportFile)) return;
  const { testResults } = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  const names = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName }) => `${name} ${fullName}`),
  );
  const times = sumTimes(readTimes(readFileSync(timeLines, "utf8")), {
    wallMs: performance.now() - startedMs,
    processorMs: processorMsOf(process.pid)?.children ?? 0,
    tests: names.length,
    titles: new Set(names).size,
  });
  const text = tellTimes(times);
  console.log(`\n${text}\n`);
  if (timesFile?.endsWith(".json")) writeFileSync(timesFile, `${JSON.stringify(times, null, 2)}\n`);
  else if (timesFile !== undefined) writeFileSync(timesFile, withTimes(readFileSync(timesFile, "utf8"), text));
}

/** The whole run is one more test: nothing it wrote contains a secret. */
function leaks(): number {
  const canary = spawnSync("node", ["scripts/secret-canary.ts", output], { stdio: "inherit" });
  return canary.status === 0 ? 0 : 1;
}

/** Errors that belong to no test, and fail the run all the same. */
function unhandled(): string[] {
  if (!existsSync(unhandledFile)) return [];
  const lines = readFileSync(unhandledFile, "utf8").trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line) => `FAILED ${line}`);
}

type Counts = { passed: number; skipped: number; straight: string[]; failures: string[] };

function counts(): Counts {
  if (!existsSync(reportFile)) {
    return { passed: 0, skipped: 0, straight: [], failures: ["FAILED vitest wrote no report"] };
  }
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const straight = tests.flatMap(({ title, meta }) =>
    meta?.onlyStraight === undefined ? [] : [`${title}: ${meta.onlyStraight}`],
  );
  const failures = report.testResults.flatMap(failuresOf);
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests,
    straight,
    failures,
  };
}

/** A line for each test that failed, and one for a file that failed by itself: by its hooks, or because it could not be loaded. */
function failuresOf({ name, status, message, assertionResults }: TestFile): string[] {
  const file = relative(process.cwd(), name);
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return status === "failed" ? [`FAILED ${file}: ${firstLine(message)}`] : [];
  return tests.map(
    ({ fullName, failureMessages = [] }) => `FAILED ${file}: ${fullName}: ${firstLine(failureMessages[0])}`,
  );
}

function firstLine(text = ""): string {
  return text.split("\n", 1)[0]?.slice(0, 300) ?? "";
}
