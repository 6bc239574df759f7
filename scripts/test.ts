/**
 * Runs the suites named on the command line: unit, contract, conformance, chaos, and those of which every model is behind a
 * provider of another format. Further arguments go to vitest. A test that failed is run once more, alone, by the rule of
 * docs/explain/the-gate.md; `--once` leaves that out. Everything the gateways of the run wrote is searched for secrets, and the counts
 * are printed on a line of their own. `--times FILE` keeps where the time went: as data in a file that ends in .json, and otherwise
 * between the marks of a page.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processorMsOf, type TimeSpent } from "../tests/support/time-spent.ts";
import { processorMsOfHosts } from "../tests/support/warm-process.ts";
import { judgeBudget } from "./gate/budget.ts";
import { buildProgram } from "./gate/build-program.ts";
import { runAgain } from "./gate/run-again.ts";
import { type Ran, type Report, runVitest } from "./gate/run-vitest.ts";
import { CHAOS_RUNS, GATE_SUITES, LONG_SUITES } from "./gate/suites.ts";
import { readTimes, sumTimes, tellBusiest, tellTimes, withTimes } from "./gate/time-table.ts";
import { judge, LIST, readList, type Second, toRunAgain } from "./gate/unstable.ts";

const SUITES = new Set<string>([...GATE_SUITES, ...LONG_SUITES]);
const words = process.argv.slice(2);
const ownRun = words[0] === "chaos" ? CHAOS_RUNS[words[1] ?? ""] : undefined;
if (ownRun !== undefined) {
  process.exit(spawnSync(process.execPath, [ownRun, ...words.slice(2)], { stdio: "inherit" }).status ?? 1);
}
const timesAt = words.indexOf("--times");
const [, timesFile] = timesAt === -1 ? [] : words.splice(timesAt, 2);
if (timesAt !== -1 && timesFile === undefined) throw new Error("--times: the file to write");
const OWN = new Set(["--long", "--once"]);
const suites = words.filter((word) => SUITES.has(word));
const rest = words.filter((word) => !SUITES.has(word) && !OWN.has(word));

const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
const timeLines = join(folder, "times.jsonl");
const output = join(folder, "output");
const program = await buildProgram(`program-${process.pid}`);
const env = {
  TEST_OUTPUT: output,
  TEST_PROGRAM: program.folder,
  TEST_HOSTS: join(folder, "hosts"),
  NODE_COMPILE_CACHE: join(folder, "compiled"),
  ...(words.includes("--long") ? { TEST_LONG: "1" } : {}),
};
const startedAt = new Date();
const startedMs = performance.now();
try {
  const ran = runVitest({
    words: [...suites.flatMap((suite) => ["--project", suite]), ...rest],
    folder,
    env: { ...env, TEST_TIMES: timeLines },
  });
  const spent = existsSync(timeLines) ? readTimes(readFileSync(timeLines, "utf8")) : [];
  if (ran.report && spent.length > 0) tellWhereTheTimeWent(ran.report, spent);
  close(ran, { again: runFailedAgain(ran), spent });
} finally {
  rmSync(folder, { recursive: true, force: true });
  program.remove();
}

/** Whatever is said here is said at the end: of a long output, that is what is kept and read. */
function close(ran: Ran, { again: { second, kept }, spent }: { again: Again; spent: readonly TimeSpent[] }): void {
  const { report, failures, unhandled, status, signal } = ran;
  const listed = readList(readFileSync(LIST, "utf8"));
  const verdict = judge({ failures, second, listed, today: startedAt.toISOString().slice(0, 10) });
  // What failed beside the tests is never run again: of which file it came is a guess where files share a process.
  const beside = unhandled.map((line) => `FAILED ${line}`);
  if (existsSync(output) && leaks()) {
    beside.push("FAILED what the run wrote contains a secret; scripts/secret-canary.ts said above which");
  }
  if (report === null) beside.push("FAILED vitest wrote no report");
  if (status !== 0 && failures.length + beside.length === 0)
    beside.push(`FAILED vitest ended with ${status ?? signal}`);
  const straight = onlyStraight(report);
  // The long run has more of everything.
  const budget = words.includes("--long") ? [] : judgeBudget(spent);
  const lines = [...tellBusiest(spent), ...straight];
  if (straight.length > 0) lines.push(`${straight.length} of those skipped hold only where nothing is translated`);
  lines.push(...budget, ...verdict.lines, ...beside);
  if (kept !== null) lines.push(`both runs of what was run again: ${kept}`);
  const passed = (report?.numPassedTests ?? 0) + verdict.more.passed;
  const skipped = (report?.numPendingTests ?? 0) + verdict.more.skipped;
  const failed = verdict.failed + beside.length;
  lines.push(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  tellLast(lines);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** The gate has a summary of its own, and says this after it. */
function tellLast(lines: readonly string[]): void {
  const file = process.env["TEST_CLOSING"];
  if (file === undefined) for (const line of lines) console.log(line);
  else writeFileSync(file, `${lines.join("\n")}\n`);
}

type Again = { second: Second[]; kept: string | null };

function runFailedAgain({ failures, signal }: Ran): Again {
  const again = words.includes("--once") || signal !== null ? [] : toRunAgain(failures);
  if (again.length === 0) return { second: [], kept: null };
  const kept = join(".gate", "unstable", startedAt.toISOString().replaceAll(/[:.]/g, "-"));
  mkdirSync(kept, { recursive: true });
  return { second: again.map((failure, index) => runAgain(failure, { folder, env, kept, number: index + 1 })), kept };
}

function tellWhereTheTimeWent({ testResults }: Report, spent: readonly TimeSpent[]): void {
  const names = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title }) => [name, ...ancestorTitles, title].join(" > ")),
  );
  const times = sumTimes(spent, {
    wallMs: performance.now() - startedMs,
    processorMs: (processorMsOf(process.pid)?.children ?? 0) + processorMsOfHosts(env.TEST_HOSTS),
    tests: names.length,
    titles: new Set(names).size,
  });
  const text = tellTimes(times);
  console.log(`\n${text}\n`);
  if (timesFile?.endsWith(".json")) writeFileSync(timesFile, `${JSON.stringify(times, null, 2)}\n`);
  else if (timesFile !== undefined) writeFileSync(timesFile, withTimes(readFileSync(timesFile, "utf8"), text));
}

/** The whole run is one more test: nothing it wrote contains a secret. */
function leaks(): boolean {
  return spawnSync("node", ["scripts/secret-canary.ts", output], { stdio: "inherit" }).status !== 0;
}

function onlyStraight(report: Report | null): string[] {
  const tests = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  return tests.flatMap(({ title, meta }) =>
    meta?.onlyStraight === undefined ? [] : [`${title}: ${meta.onlyStraight}`],
  );
}
