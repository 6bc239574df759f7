/** House rules no linter knows: names, sizes, where SQL and the environment may appear. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { blindness, repeatedTypeNames, type SourceText } from "./type-names.ts";

const FORBIDDEN_NAMES = /^(utils?|helpers?|common|shared|misc|manager|service|handler|base|types)\.ts$/;
const SQL = /\b(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from)\b/i;
/** Words about where or how the work is done have no place in the project. */
const LOCAL = /\/work\/(main|shared)|\/root\/|registry\.npmjs|farm-studio/;
/** A function over the limit of lines says why, where it stands. */
const UNARGUED_LENGTH = /oxlint-disable[^\n]*max-lines-per-function(?! -- .{10,})/;
const MEDIAN_LINES = 120;

const problems: string[] = [];
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && path !== "package-lock.json" && existsSync(path));

const sourceLines: number[] = [];
const sources: SourceText[] = [];
for (const path of files) {
  const text = readFileSync(path, "utf8");
  if (path !== "scripts/house.ts" && LOCAL.test(text)) problems.push(`${path}: names a local path or a host`);
  if (!/^(src|build|demo|tests|scripts)\/.*\.ts$/.test(path)) continue;
  const lines = text.split("\n").length - 1;
  const isTest = path.endsWith(".test.ts") || path.startsWith("tests/");
  if (FORBIDDEN_NAMES.test(basename(path))) problems.push(`${path}: this name says nothing`);
  if (lines > (isTest ? 500 : 400)) problems.push(`${path}: ${lines} lines`);
  if (/^(tests|scripts)\//.test(path) || isTest) continue;
  sourceLines.push(lines);
  sources.push({ path, text });
  if (UNARGUED_LENGTH.test(text)) problems.push(`${path}: a long function without a reason`);
  if (!path.startsWith("src/config/") && /process\.env\b/.test(text))
    problems.push(`${path}: reads the environment outside config/`);
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\/\/.*$/gm, "");
  if (!/^src\/db\/|-store\.ts$/.test(path) && SQL.test(code)) problems.push(`${path}: SQL outside a store`);
}

sourceLines.sort((a, b) => a - b);
const at = (share: number): number => sourceLines[Math.floor((sourceLines.length - 1) * share)] ?? 0;
if (at(0.5) > MEDIAN_LINES) problems.push(`the median source file has ${at(0.5)} lines; ${MEDIAN_LINES} at most`);

problems.push(...repeatedTypeNames(sources), ...blindness(sources));

for (const problem of problems) console.error(`house: ${problem}`);
console.log(`house: ${sourceLines.length} source files, median ${at(0.5)} lines, p90 ${at(0.9)}, longest ${at(1)}`);
process.exit(problems.length > 0 ? 1 : 0);
