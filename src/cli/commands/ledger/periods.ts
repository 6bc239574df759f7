import type { Command } from "commander";
import { withStorage } from "../../open-storage.ts";
import { periodListing, periodsView } from "../../text/ledger/period-text.ts";
import { printResult } from "../../text/print.ts";

/** `tollgate ledger periods`. */
export function addPeriodsCommand(ledger: Command): void {
  ledger
    .command("periods")
    .description(
      "list limits whose period was begun by a clock that was ahead, or bring them back to the current period",
    )
    .option("--apply", "bring them back; without it, only show what would change")
    .option("--json", "print JSON")
    .action(async (options: { apply?: true; json?: true }, command: Command) => {
      await withStorage(command, async (storage, by) => {
        const limits = await storage.repairPeriods({ apply: options.apply === true }, by);
        printResult(periodsView(limits), {
          json: options.json === true,
          text: (screen) => periodListing(limits, screen),
        });
        process.exitCode = limits.every(({ result }) => result === "brought_back") ? 0 : 1;
      });
    });
}
