import type { Command } from "commander";
import { addPartitionsCommand } from "./partitions.ts";
import { countUpTo, keyName } from "../arguments.ts";
import { journalListing, verificationText } from "../text/ledger-text.ts";
import { addLedgerAdoptCommand } from "./adopt-ledger.ts";
import { withControl } from "../open-control.ts";
import { printResult } from "../text/print.ts";
import { createProgress } from "../text/progress.ts";
import { addQuarantineCommands } from "./quarantine.ts";

/** `tollgate ledger show | verify | adopt | quarantine | partitions`. */
export function addLedgerCommands(program: Command): void {
  const ledger = program.command("ledger").description("read the books and check that they add up");

  ledger
    .command("show")
    .argument("<key>", "id or prefix", keyName)
    .description("list what was paid in and charged, newest first, in the order in which requests began")
    .option("--limit <number>", "how many entries at most, up to 1000", countUpTo(1_000), 50)
    .option("--before <cursor>", "go on where an earlier page ended")
    .option("--json", "print JSON")
    .action(async (name: string, options: { limit: number; before?: string; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const before = options.before ?? null;
        const page = await control.showJournal(name, { limit: options.limit, before });
        printResult(page, { json: options.json === true, text: () => journalListing(page, before) });
      });
    });

  ledger
    .command("verify")
    .description("fold the journal and hold every balance against it; exit 1 when one differs")
    .option("--key <key>", "only this key, by id or prefix", keyName)
    .option("--json", "print JSON")
    .action(async (options: { key?: string; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const progress = createProgress();
        const report = await control.verifyLedger(options.key ?? null, ({ phase, done }) => progress.show(phase, done));
        progress.end();
        printResult(report, { json: options.json === true, text: () => verificationText(report) });
        process.exitCode = report.ok ? 0 : 1;
      });
    });

  addLedgerAdoptCommand(ledger);
  addQuarantineCommands(ledger);
  addPartitionsCommand(ledger);
}
