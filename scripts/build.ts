/**
 * Builds dist/ with tsc, the commit that it is built from, the API descriptions, and the console. BUILD_COMMIT is that commit where the folder is no clone. `npm pack` calls this, so that the package carries plain JavaScript. Types are only removed here:
 * `npm run check` checks them, and to do it again takes five times as long as to write the files.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readGitCommit } from "../src/config/read/git-commit.ts";
import { packDemo } from "./pack-demo.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
const root = join(import.meta.dirname, "..");
const named = /^[0-9a-f]{40}$/.exec(process.env["BUILD_COMMIT"] ?? "")?.[0];
const commit = named ?? readGitCommit(pathToFileURL(`${root}/`));
writeFileSync("dist/build.json", `${JSON.stringify({ commit })}\n`);
await packDemo(root);
execFileSync("node", ["scripts/descriptions.ts"], { stdio: "inherit" });
// What npm prints on standard output is read by programs.
execFileSync("node", ["scripts/console.ts"], { stdio: ["ignore", 2, 2] });
