/**
 * Breaks the ledger on purpose, one decision at a time, and prints which check noticed. Exits 1 when a broken ledger passes, or is
 * noticed only by a check other than the one that is meant for it: a suite that cannot see a fault proves nothing by being green.
 */
import { BROKEN_MODELS, noticedInModel } from "../tests/ledger/broken-models.ts";
import { BROKEN_SQL } from "../tests/ledger/broken-sql.ts";
import { SERVERS } from "../tests/ledger/engines.ts";
import { type BrokenSql, breakSql, noticedInSql } from "../tests/ledger/notice-sql.ts";

type Result = { where: string; name: string; caughtBy: string; noticed: ReadonlySet<string> };

const RUNS = 300;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const engine = SERVERS.find(({ reason }) => reason === null);
if (!engine) throw new Error(`no PostgreSQL to break a ledger on: ${SERVERS.map(({ reason }) => reason).join("; ")}`);
const { open } = engine;

const results: Result[] = [];
for (const broken of BROKEN_MODELS) {
  report({ where: "model", name: broken.name, caughtBy: broken.caughtBy, noticed: await noticedInModel(broken) });
}
for (const broken of BROKEN_SQL) {
  report({ where: broken.fn, name: broken.name, caughtBy: broken.caughtBy, noticed: await observe(broken) });
}
// Without this, a check that cries at everything would pass for a good one.
report({ where: "all", name: "nothing", caughtBy: "nobody", noticed: await observe(null) });

const missed = results.filter((result) => !caught(result));
say(`\n${results.length - 1} broken ledgers, ${missed.length} not noticed as they should be`);
process.exitCode = missed.length === 0 ? 0 : 1;

function report(result: Result): void {
  results.push(result);
  if (results.length === 1) say(row(["", "where", "what is broken", "meant to notice", "noticed by"]));
  const { where, name, caughtBy, noticed } = result;
  say(row([caught(result) ? "ok" : "MISSED", where, name, caughtBy, [...noticed].join(" ") || "nobody"]));
}

function caught({ caughtBy, noticed }: Result): boolean {
  return caughtBy === "nobody" ? noticed.size === 0 : noticed.has(caughtBy);
}

/** On a database of its own: what a broken ledger leaves behind would accuse the next one. */
async function observe(broken: BrokenSql | null): Promise<ReadonlySet<string>> {
  const { database, close } = await open();
  try {
    if (broken && !(await breakSql(database, broken))) return new Set(["the text to change is not there"]);
    return await noticedInSql(database, broken ? { ...broken, runs: RUNS } : { caughtBy: "nobody", runs: 15 });
  } finally {
    await close();
  }
}

function row(cells: readonly string[]): string {
  const [verdict = "", where = "", name = "", ...rest] = cells;
  return [verdict.padEnd(6), where.padEnd(15), name.padEnd(68), (rest[0] ?? "").padEnd(19), rest[1]].join(" ");
}
