import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { isoDate } from "../arguments.ts";
import { loadSettings, openDatabase } from "../open-database.ts";
import { partitionListing, repairText } from "../text/partition-text.ts";
import { printResult } from "../text/print.ts";
import { createProgress } from "../text/progress.ts";

const PAUSE_MS = 500;
/** Nobody waits for what takes long here; where somebody does, it sets a limit of its own. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** `tollgate ledger partitions`: where the days of the journal lie. Needs the database itself, and to repair its owner. */
export function addPartitionsCommand(ledger: Command): void {
  ledger
    .command("partitions")
    .description("list the days of the journal and those left in the default partition; --repair moves one of these")
    .option("--repair <day>", "move this day (UTC) into partitions of its own; run as the owner of the tables", utcDay)
    .option("--json", "print JSON")
    .action(async (options: { repair?: string; json?: true }, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const settings = { ...loaded.config.database, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
      const database = openDatabase({ ...loaded, config: { ...loaded.config, database: settings } }, () => undefined);
      const json = options.json === true;
      // Loaded here because it brings the whole gateway along.
      const { createJournalPartitions } = await import("../../app.ts");
      const partitions = createJournalPartitions(database, () => sleep(PAUSE_MS));
      try {
        if (options.repair === undefined) {
          const view = await partitions.list();
          printResult(view, { json, text: () => partitionListing(view) });
          return;
        }
        const progress = createProgress();
        const repaired = await partitions.repair(options.repair, (step) =>
          step.kind === "copied"
            ? progress.show(`rows of ${step.table} copied`, step.rows)
            : progress.show("tries for the lock of the journal", step.tries),
        );
        progress.end();
        printResult(repaired, { json, text: () => repairText(repaired) });
      } finally {
        await database.close();
      }
    });
}

function utcDay(text: string): string {
  if (text.length !== 10) throw new InvalidArgumentError("It must be a day such as 2027-01-31 (UTC).");
  return isoDate(text).slice(0, 10);
}
