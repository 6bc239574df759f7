import { type Command, InvalidArgumentError } from "commander";
import { isoDate } from "../../arguments.ts";
import { withStorage } from "../../open-storage.ts";
import { partitionListing, partitionsView, repairedView, repairText } from "../../text/ledger/partition-text.ts";
import { printResult } from "../../text/print.ts";
import { createProgress } from "../../text/progress.ts";

/** `tollgate ledger partitions`: where the days of the journal lie. Needs the database itself, and to repair its owner. */
export function addPartitionsCommand(ledger: Command): void {
  ledger
    .command("partitions")
    .description("list the journal's partitions by day, or move a day out of the default partition")
    .option("--repair <day>", "move this day (UTC) into its own partition; run as the owner of the tables", utcDay)
    .option("--json", "print JSON")
    .action(async (options: { repair?: string; json?: true }, command: Command) => {
      const json = options.json === true;
      await withStorage(command, async (storage, by) => {
        if (options.repair === undefined) {
          const days = await storage.listDays();
          printResult(partitionsView(days), { json, text: (screen) => partitionListing(days, screen) });
          return;
        }
        const progress = createProgress();
        const repaired = await storage.repairDay(
          options.repair,
          (step) =>
            step.kind === "copied"
              ? progress.show("Charges copied", step.rows)
              : progress.show("Attempts to lock the journal", step.tries),
          by,
        );
        progress.end();
        printResult(repairedView(repaired), { json, text: () => repairText(repaired) });
      });
    });
}

function utcDay(text: string): string {
  if (text.length !== 10) throw new InvalidArgumentError("It must be a day, such as 2027-01-31 (UTC).");
  return isoDate(text).slice(0, 10);
}
