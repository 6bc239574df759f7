/**
 * Runs the suites named on the command line: unit, contract, conformance, chaos, and those of which every model is behind a
 * provider of another format. Further arguments go to vitest. Afterwards, everything the gateways of the run wrote is searched
 * for secrets, and the counts are printed on a line of their own.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
  testResults: { assertionResults: { title: string; meta?: { onlyStraight?: string } }[] }[];
};

const SUITES = new Set([
  "unit",
  "contract",
  "contract-crossed",
  "contract-turned",
  "conformance",
  "conformance-crossed",
  "conformance-turned",
  "chaos",
  "chaos-crossed",
  "chaos-turned",
]);
const words = process.argv.slice(2);
const long = words.includes("--long");
const suites = words.filter((word) => SUITES.has(word));
const rest = words.filter((word) => !SUITES.has(word) && word !== "--long");

const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
const reportFile = join(folder, "report.json");
const output = join(folder, "output");
try {
  const run = spawnSync(
    "vitest",
    [
      "run",
      ...suites.flatMap((suite) => ["--project", suite]),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${reportFile}`,
      ...rest,
    ],
    {
      stdio: "inherit",
      env: { ...process.env, TOLLGATE_TEST_OUTPUT: output, ...(long ? { TOLLGATE_TEST_LONG: "1" } : {}) },
    },
  );
  const leaked = existsSync(output) ? leaks() : 0;
  const { passed, failed, skipped, straight } = counts();
  for (const line of straight) console.log(line);
  if (straight.length > 0) console.log(`${straight.length} of those skipped hold only where nothing is translated`);
  console.log(`${passed} passed, ${failed + leaked} failed, ${skipped} skipped`);
  process.exitCode = run.status === 0 && leaked === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The whole run is one more test: nothing it wrote contains a secret. */
function leaks(): number {
  const canary = spawnSync("node", ["scripts/secret-canary.ts", output], { stdio: "inherit" });
  return canary.status === 0 ? 0 : 1;
}

function counts(): { passed: number; failed: number; skipped: number; straight: string[] } {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0, straight: [] };
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  // A file that could not be loaded has no tests to fail.
  const failed = report.numFailedTests + (report.numFailedTests === 0 ? report.numFailedTestSuites : 0);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const straight = tests.flatMap(({ title, meta }) =>
    meta?.onlyStraight === undefined ? [] : [`${title}: ${meta.onlyStraight}`],
  );
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests, straight };
}
