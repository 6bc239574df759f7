import { createReadStream, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import { GatewayRefusalError } from "../../../admin-client/ask-gateway.ts";
import type { Costs } from "../../../core/bills/name-map.ts";
import { systemClock } from "../../../core/clock.ts";
import { everyPage } from "../../../core/page.ts";
import { costsAt } from "../../../operator/money/costs.ts";
import type { Operator } from "../../../operator/operator.ts";
import { readCosts } from "../../../config/reconcile/read-costs.ts";
import { readNameMap } from "../../../config/reconcile/read-name-map.ts";
import { ExportError } from "../../../reconcile/export-error.ts";
import { readJournalCsv } from "../../../reconcile/journal/read-journal-csv.ts";
import { journalOf } from "../../../reconcile/journal/journal-of.ts";
import type { JournalRows } from "../../../reconcile/journal/journal-row.ts";
import type { SourceFile } from "../../../reconcile/read/decode-file.ts";
import { exitCodeOf, reconcile } from "../../../reconcile/reconcile.ts";
import { withOperator } from "../../open-operator.ts";
import { unpacked } from "../../input/unpacked.ts";
import { utcDay } from "../../arguments.ts";
import { reportFailure } from "../../report-failure.ts";
import { printResult } from "../../text/print.ts";
import { reconcileJson, reconcileText } from "../../text/ledger/reconcile-text.ts";

type Options = { day: string; map: string; costs?: string; journal?: string; json?: true };

const NOT_COMPARED = 2;
const FORBIDDEN = 403;

/** `tollgate reconcile`: a day of providers' bills beside the journal. */
export function addReconcileCommand(program: Command): void {
  program
    .command("reconcile")
    .argument(
      "<exports...>",
      "what providers export: usage, costs, billing; JSON, JSON lines or CSV, also packed with gzip",
    )
    .description("compare a day of providers' bills with the journal, and say what each difference means")
    .requiredOption("--day <date>", "the day, in UTC, such as 2026-11-16", utcDay)
    .requiredOption("--map <file>", "what the names on the bills mean, as YAML")
    .option(
      "--costs <file>",
      "what each route costs you, as YAML (default: the costs given with `tollgate costs`); without any, money is not compared",
    )
    .option("--journal <file>", "read the journal from this CSV file (default: the ledger)")
    .option("--json", "print JSON, with the requests behind each line")
    .addHelpText(
      "after",
      `\nExit code ${NOT_COMPARED}: something could not be compared: a name is not in the map, or an export is not whole.`,
    )
    .action(async (exports: string[], options: Options, command: Command) => {
      try {
        if (options.journal !== undefined) await compare(exports, options, readJournalCsv(fileAt(options.journal)));
        else
          await withOperator(command, async ({ books, costs }) =>
            compare(exports, options, journalOf(options.day, books.listCharges), await costsOf(options.day, costs)),
          );
      } catch (error) {
        if (!(error instanceof ExportError)) throw error;
        reportFailure(error, options.json === true);
        process.exitCode = NOT_COMPARED;
      }
    });
}

/** Those in force when the day began; null: none is given, or the role may not see them. */
async function costsOf(day: string, { list }: Pick<Operator["costs"], "list">): Promise<Costs | null> {
  const book = await everyPage(list).catch((error: unknown) => {
    if (error instanceof GatewayRefusalError && error.status === FORBIDDEN) return { data: [] };
    throw error;
  });
  const costs = costsAt(book.data, Date.parse(`${day}T00:00:00Z`));
  return costs.size === 0 ? null : costs;
}

async function compare(
  exports: readonly string[],
  options: Options,
  journal: JournalRows,
  given: Costs | null = null,
): Promise<void> {
  const found = await reconcile({
    exports: exports.map(fileAt),
    journal,
    map: readNameMap(readFileSync(options.map, "utf8"), options.map),
    costs: options.costs === undefined ? given : readCosts(readFileSync(options.costs, "utf8"), options.costs),
    day: options.day,
    nowMs: systemClock.nowMs(),
  });
  process.exitCode = exitCodeOf(found);
  printResult(options.json === true ? reconcileJson(found, exitCodeOf(found)) : found, {
    json: options.json === true,
    text: (screen) => reconcileText(found, screen),
  });
}

const fileAt = (path: string): SourceFile => unpacked({ name: basename(path), bytes: () => createReadStream(path) });
