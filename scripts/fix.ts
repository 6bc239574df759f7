/** Mends what a machine can mend: lint fixes, then formatting. */
import { execFileSync } from "node:child_process";

const PLACES = ["src", "build", "demo", "tests", "scripts", "bin", "examples"];
execFileSync("oxlint", ["--fix", ...PLACES], { stdio: "inherit" });
execFileSync("oxfmt", [...PLACES, "vitest.config.ts"], { stdio: "inherit" });
