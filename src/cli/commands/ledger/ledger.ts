import type { Command } from "commander";
import { journal, verification, verifications } from "../../../contract/books.ts";
import { written } from "../../../wire/validate.ts";
import { addOutstandingCommands } from "./outstanding.ts";
import { addPartitionsCommand } from "./partitions.ts";
import { keyName } from "../../arguments.ts";
import { oneHolder } from "../../holder-option.ts";
import { dayListing } from "../../text/ledger/verified-days-text.ts";
import { journalListing, verificationListing, verificationText } from "../../text/ledger/ledger-text.ts";
import { addLedgerAdoptCommand } from "./adopt-ledger.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { printResult } from "../../text/print.ts";
import { addPeriodsCommand } from "./periods.ts";
import { createProgress } from "../../text/progress.ts";
import { addQuarantineCommands } from "./quarantine.ts";

/** `tollgate ledger show | outstanding | move | verify | verifications | adopt | quarantine | partitions | periods`. */
export function addLedgerCommands(program: Command): void {
  const ledger = program.command("ledger").description("read the ledger and verify it");

  const show = ledger
    .command("show")
    .argument("[key]", "id or prefix", keyName)
    .description("list payments, limits, charges and refunds, newest first, ordered by when each request began")
    .option("--account <account>", "list an account and all keys below it, by id or names: Acme/Search");
  addPageOptions(show, 50)
    .option("--json", "print JSON")
    .action(
      async (name: string | undefined, options: PageOptions & { account?: string; json?: true }, command: Command) => {
        const of = oneHolder(name, options.account, command);
        await withOperator(command, async ({ books }) => {
          const page = written(journal, await readPages(options, (asked) => books.journal(of, asked)));
          printResult(page, { json: options.json === true, text: (screen) => journalListing(page, options, screen) });
        });
      },
    );

  addOutstandingCommands(ledger);

  addVerifyCommands(ledger);
  addLedgerAdoptCommand(ledger);
  addQuarantineCommands(ledger);
  addPartitionsCommand(ledger);
  addPeriodsCommand(ledger);
}

function addVerifyCommands(ledger: Command): void {
  ledger
    .command("verify")
    .description("recompute every purse and limit from the journal and report differences")
    .option("--key <key>", "verify only this key, by id or prefix", keyName)
    .option("--recompute", "also compute the amount of every charge again from its price and token counts")
    .option("--json", "print JSON")
    .action(async (options: { key?: string; recompute?: true; json?: true }, command: Command) => {
      await withOperator(command, async ({ books }, by) => {
        const progress = createProgress();
        const asked = { key: options.key ?? null, recompute: options.recompute === true };
        const verified = await books.verify(asked, by, ({ phase, done }) => progress.show(`Checking ${phase}`, done));
        const report = written(verification, verified);
        progress.end();
        printResult(report, { json: options.json === true, text: (screen) => verificationText(report, screen) });
        process.exitCode = report.ok ? 0 : 1;
      });
    });

  ledger
    .command("verifications")
    .description("list when the ledger was verified, by whom or day by day, and how many figures differed")
    .option("--days", "list the days that gateways verified by themselves, and what differs")
    .option("--json", "print JSON")
    .action(async (options: { days?: true; json?: true }, command: Command) => {
      await withOperator(command, async ({ books }) => {
        const found = written(verifications, await books.listVerifications());
        printResult(found, {
          json: options.json === true,
          text: (screen) => (options.days === true ? dayListing(found, screen) : verificationListing(found, screen)),
        });
      });
    });
}
