/** Runs the crossings of every pair of formats and writes down what the run has seen, in `docs/reference/crossings.md`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { status } = spawnSync(
  "vitest",
  ["run", "--project", "conformance", "tests/conformance/crossings/crossings.test.ts"],
  {
    cwd: root,
    env: { ...process.env, TOLLGATE_WRITE_CROSSINGS: "1" },
    stdio: "inherit",
  },
);
process.exit(status ?? 1);
