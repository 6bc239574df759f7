import type { Command } from "commander";
import { quarantinePage, type ReleasedJson, released as releasedSchema } from "../../../contract/quarantine.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { printResult } from "../../text/print.ts";
import { quarantineListing, releaseText } from "../../text/ledger/quarantine-text.ts";

/** Results of a release that ended nothing. */
const STAYS: ReadonlySet<string> = new Set(["refused", "not_quarantined"]);

/** `tollgate ledger quarantine list | release`. */
export function addQuarantineCommands(ledger: Command): void {
  const quarantine = ledger
    .command("quarantine")
    .description("list and release requests that could not be settled; their reservation stays until then");

  const list = quarantine
    .command("list")
    .description("list quarantined requests: reserved amount, time, reason and fix");
  addPageOptions(list, 100)
    .option("--json", "print JSON")
    .action(async (options: PageOptions & { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const page = written(quarantinePage, await readPages(options, operator.quarantine.list));
        printResult(page, { json: options.json === true, text: (screen) => quarantineListing(page, screen) });
      });
    });

  quarantine
    .command("release")
    .argument("<request...>", "request ids, as listed")
    .description("settle quarantined requests at their last checkpoint")
    .option("--void", "release them without a charge")
    .option("--json", "print JSON")
    .action(async (requests: string[], options: { void?: true; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const released: ReleasedJson[] = [];
        for (const request of requests) {
          const end = options.void === true ? "void" : "charge";
          released.push(written(releasedSchema, await operator.quarantine.release(request, end, by)));
        }
        printResult({ released }, { json: options.json === true, text: () => released.map(releaseText).join("\n") });
        process.exitCode = released.some(({ result }) => STAYS.has(result)) ? 1 : 0;
      });
    });
}
