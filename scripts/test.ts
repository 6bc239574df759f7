/** Runs the suites named on the command line: unit, contract, conformance, chaos. Further arguments go to vitest. */
import { spawnSync } from "node:child_process";

const SUITES = new Set(["unit", "contract", "conformance", "chaos"]);
const words = process.argv.slice(2);
const suites = words.filter((word) => SUITES.has(word));
const rest = words.filter((word) => !SUITES.has(word));

const run = spawnSync(
  "vitest",
  ["run", "--passWithNoTests", ...suites.flatMap((suite) => ["--project", suite]), ...rest],
  {
    stdio: "inherit",
  },
);
process.exit(run.status ?? 1);
