/**
 * Everything that the gate leaves out because it takes long: `npm run long`. Parts run one after the other, each with a log of its own;
 * what is known of a commit is kept in .gate/long, so that a run can go on where it was stopped.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, globSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LONG_PARTS, type Part, WHY_MISSING } from "./gate/long-parts.ts";
import {
  choose,
  lastTook,
  leftTable,
  type LongRun,
  minutesOf,
  notRun,
  resultOf,
  tellReport,
  unfinished,
} from "./gate/long-report.ts";

const USAGE = `npm run long -- [options]

  --only PARTS   these parts, with commas between them: --only fuzz,attack
  --resume       leaves out the parts that have passed or failed on this commit
  --list         the parts, the minutes each took here or is known to take, and what it needs
  --json         the report as JSON instead of a table
  --help         this text

A part whose tool is missing is "not run", which is neither passed nor failed. Logs and reports are in .gate/long.
Exit codes: 0 no part failed; 1 a part failed; 2 wrong options.`;

const FOLDER = join(".gate", "long");

process.exitCode = await main();

async function main(): Promise<number> {
  let wishes: ReturnType<typeof wishesOf>;
  try {
    wishes = wishesOf();
  } catch (error) {
    console.error(`long: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const { values, chosen } = wishes;
  if (values.help) console.log(USAGE);
  else if (values.list) console.log(listOf(chosen));
  else return run(chosen, { resume: values.resume, asJson: values.json, whole: values.only === undefined });
  return 0;
}

function wishesOf() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      resume: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return { values, chosen: choose(LONG_PARTS, values.only?.split(",").map((name) => name.trim()) ?? []) };
}

type Wishes = { resume: boolean; asJson: boolean; whole: boolean };

async function run(chosen: readonly Part[], { resume, asJson, whole }: Wishes): Promise<number> {
  const commit = nameOfTree();
  const state = join(FOLDER, `${commit}.json`);
  const logs = join(FOLDER, commit);
  mkdirSync(logs, { recursive: true });
  const known = existsSync(state) && (resume || !whole) ? (JSON.parse(readFileSync(state, "utf8")) as LongRun) : null;
  const longRun: LongRun = known ?? { commit, parts: {} };
  const keep = (): void => {
    writeFileSync(state, `${JSON.stringify(longRun, null, 2)}\n`);
    writeFileSync(join(FOLDER, `${commit}.md`), `${tellReport(longRun, LONG_PARTS)}\n`);
  };
  for (const part of resume ? unfinished(chosen, longRun) : chosen) {
    console.error(`\n== ${part.name}: ${part.about}`);
    const result = await tryPart(part, join(logs, `${part.name}.log`));
    longRun.parts[part.name] = result;
    keep();
    console.error(`${result.outcome} in ${minutesOf(result.seconds)} minutes: ${result.closing}`);
  }
  const parts = Object.fromEntries(
    chosen.flatMap(({ name }) => (longRun.parts[name] === undefined ? [] : [[name, longRun.parts[name]]])),
  );
  if (asJson) console.log(JSON.stringify({ commit, parts }, null, 2));
  else console.log(`\n${tellReport({ commit, parts }, chosen)}\nkept in ${state} and beside it`);
  return Object.values(parts).some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

async function tryPart(part: Part, log: string) {
  const why = part.needs.map((need) => WHY_MISSING[need]()).find((reason) => reason !== null) ?? null;
  if (why !== null) return notRun(why);
  console.error(`   log: ${log}`);
  const startedMs = performance.now();
  const target = openSync(log, "w");
  const [program, ...words] = wordsOf(part);
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn(program, words, { stdio: ["ignore", target, target] });
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
  closeSync(target);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return resultOf(part, { code, seconds, output: readFileSync(log, "utf8"), log });
}

function wordsOf({ run: how }: Part): [string, ...string[]] {
  if ("suites" in how) return ["node", "scripts/test.ts", ...how.suites, "--long"];
  const further = (how.words ?? []).map((word) => (word.startsWith("$") ? (process.env[word.slice(1)] ?? "") : word));
  return ["npm", "run", "--silent", how.script, ...(further.length === 0 ? [] : ["--", ...further])];
}

/** The commit, and where files differ from it also by what differs: a part that passed before a change has not passed after it. */
function nameOfTree(): string {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { encoding: "utf8", maxBuffer: 512 * 1_048_576 }).trim();
  const commit = git("rev-parse", "--short=12", "HEAD");
  const change = git("diff", "HEAD") + git("status", "--porcelain");
  return change === "" ? commit : `${commit}-${createHash("sha256").update(change).digest("hex").slice(0, 8)}`;
}

function listOf(parts: readonly Part[]): string {
  const runs = globSync("*.json", { cwd: FOLDER })
    .map((name) => join(FOLDER, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as LongRun);
  const rows = parts.map(({ name, about, minutes, needs }) => {
    const took = lastTook(name, runs);
    const expected = took === null ? (minutes?.toString() ?? "not measured") : minutesOf(took);
    return [name, expected, needs.join("; ") || "–", about];
  });
  return leftTable([["part", "minutes", "needs", "what it does"], ...rows]);
}
