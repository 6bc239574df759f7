/**
 * Builds dist/ with tsc, the API descriptions, and the console. `npm pack` calls this, so that the package carries plain JavaScript. Types are only removed here:
 * `npm run check` checks them, and to do it again takes five times as long as to write the files.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { packDemo } from "./pack-demo.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
await packDemo(join(import.meta.dirname, ".."));
execFileSync("node", ["scripts/descriptions.ts"], { stdio: "inherit" });
// What npm prints on standard output is read by programs.
execFileSync("node", ["scripts/console.ts"], { stdio: ["ignore", 2, 2] });
