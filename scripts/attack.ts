/**
 * Attacks a gateway of its own with everything in tests/attack/attempts and says what came of it. Exits with 1 when an attempt gains
 * more than it may and nothing says why.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ATTEMPTS } from "../tests/attack/attempts/all.ts";
import { modelsOf } from "../tests/attack/models.ts";
import { pageOf } from "../tests/attack/page.ts";
import { pictureOf } from "../tests/attack/picture.ts";
import { type Row, rowOf } from "../tests/attack/row.ts";
import { LONG, runAttempt, SHORT } from "../tests/attack/run.ts";
import { startStage } from "../tests/attack/stage.ts";
import { tableHead, tableRow } from "../tests/attack/table.ts";

const USAGE = `npm run attack -- [options]

  --only PATTERN   attempts whose name or class matches, as a regular expression
  --short          smaller and shorter attacks on other tenants, and none that takes long
  --spoken FORMAT  every model has one provider, which speaks this; --spoken gemini for a format that no caller speaks
  --json           one JSON object per attempt instead of a table
  --write          writes docs/explain/attacks.md and attacks.svg from the figures of this run; a whole run only
  --from FILE      writes both from the output of runs with --json instead of attacking; may be repeated, later files win
  --help           this text`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    short: { type: "boolean", default: false },
    spoken: { type: "string" },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    from: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else if (values.from.length > 0) writePage(rowsOf(values.from), values.from.length);
else if (values.write && (values.only !== "" || values.short || values.spoken !== undefined)) {
  console.error("attack: --write needs a whole run, without --only, --short and --spoken");
  process.exitCode = 2;
} else await attack();

async function attack(): Promise<void> {
  const wanted = new RegExp(values.only, "i");
  const attempts = ATTEMPTS.filter(
    ({ name, kind, long }) => wanted.test(`${kind} ${name}`) && !(values.short && long === true),
  );
  const form = values.short ? SHORT : LONG;
  const stage = await startStage(modelsOf(attempts), values.spoken ?? null);
  const rows: Row[] = [];
  try {
    const quietFromMs = Date.now();
    await sleep(form.windowMs);
    const quiet = await stage.neighbour.during(quietFromMs, Date.now());
    if (!values.json) console.log(tableHead());
    for (const attempt of attempts) {
      const row = rowOf(await runAttempt(stage, attempt, form), quiet);
      rows.push(row);
      console.log(values.json ? JSON.stringify(row) : tableRow(row));
    }
  } finally {
    await stage.close();
  }
  const failed = rows.filter(({ held }) => !held);
  const unknown = failed.filter(({ known }) => known === "");
  console.error(`attack: ${rows.length} attempts, ${rows.length - failed.length} hold, ${failed.length} do not`);
  if (values.write) writePage(rows, 1);
  process.exitCode = unknown.length > 0 ? 1 : 0;
}

/** What earlier runs printed, in the order of the attempts. */
function rowsOf(files: readonly string[]): Row[] {
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
  const newest = new Map(lines.map((line) => JSON.parse(line) as Row).map((row) => [row.name, row]));
  return ATTEMPTS.flatMap(({ name }) => newest.get(name) ?? []);
}

function writePage(rows: readonly Row[], runs: number): void {
  const measured = new Set(rows.map(({ name }) => name));
  const unmeasured = ATTEMPTS.flatMap(({ name }) => (measured.has(name) ? [] : [name]));
  const folder = join(import.meta.dirname, "../docs/explain");
  writeFileSync(join(folder, "attacks.md"), `${pageOf(rows, { unmeasured, runs })}\n`.replace(/\n+$/, "\n"));
  writeFileSync(join(folder, "attacks.svg"), pictureOf(rows));
}
