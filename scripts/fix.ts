/** Mends what a machine can mend: lint fixes, then formatting. */
import { execFileSync } from "node:child_process";

const PLACES = ["src", "tests", "scripts", "bin"];
execFileSync("oxlint", ["--fix", ...PLACES], { stdio: "inherit" });
execFileSync("oxfmt", [...PLACES, "vitest.config.ts"], { stdio: "inherit" });
