import type { Command } from "commander";
import { quarantineView, type ReleasedJson, releasedView } from "../../wire/admin/quarantine.ts";
import { withOperator } from "../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../page-options.ts";
import { printResult } from "../text/print.ts";
import { quarantineListing, releaseText } from "../text/quarantine-text.ts";

/** Results of a release that ended nothing. */
const STAYS: ReadonlySet<string> = new Set(["refused", "not_quarantined"]);

/** `tollgate ledger quarantine list | release`. */
export function addQuarantineCommands(ledger: Command): void {
  const quarantine = ledger
    .command("quarantine")
    .description("requests that could not be ended: their money stays reserved until they are released");

  const list = quarantine
    .command("list")
    .description("list what is reserved, since when, why, and what to do; exit 0 even when there are some");
  addPageOptions(list, 100)
    .option("--json", "print JSON")
    .action(async (options: PageOptions & { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const page = quarantineView(await readPages(options, operator.quarantine.list));
        printResult(page, { json: options.json === true, text: (screen) => quarantineListing(page, screen) });
      });
    });

  quarantine
    .command("release")
    .argument("<request...>", "ids of requests, as listed")
    .description("end requests at their last checkpoint; exit 1 when one could not be ended or is not there")
    .option("--void", "end them at 0 instead, without a charge")
    .option("--json", "print JSON")
    .action(async (requests: string[], options: { void?: true; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const released: ReleasedJson[] = [];
        for (const request of requests) {
          const end = options.void === true ? "void" : "charge";
          released.push(releasedView(await operator.quarantine.release(request, end, by)));
        }
        printResult({ released }, { json: options.json === true, text: () => released.map(releaseText).join("\n") });
        process.exitCode = released.some(({ result }) => STAYS.has(result)) ? 1 : 0;
      });
    });
}
