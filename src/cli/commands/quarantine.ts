import type { Command } from "commander";
import { countUpTo } from "../arguments.ts";
import { withControl } from "../open-control.ts";
import { printResult } from "../text/print.ts";
import { quarantineListing, releaseText } from "../text/quarantine-text.ts";

/** Results of a release that ended nothing. */
const STAYS: ReadonlySet<string> = new Set(["refused", "not_quarantined"]);

/** `tollgate ledger quarantine list | release`. */
export function addQuarantineCommands(ledger: Command): void {
  const quarantine = ledger
    .command("quarantine")
    .description("requests that could not be ended: their money stays reserved until they are released");

  quarantine
    .command("list")
    .description("list what is reserved, since when, why, and what to do; exit 0 even when there are some")
    .option("--limit <number>", "how many at most, up to 1000", countUpTo(1_000), 100)
    .option("--json", "print JSON")
    .action(async (options: { limit: number; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const page = await control.quarantine.list(options.limit);
        printResult(page, { json: options.json === true, text: () => quarantineListing(page) });
      });
    });

  quarantine
    .command("release")
    .argument("<request...>", "ids of requests, as listed")
    .description("end requests at their last checkpoint; exit 1 when one could not be ended or is not there")
    .option("--void", "end them at 0 instead, without a charge")
    .option("--json", "print JSON")
    .action(async (requests: string[], options: { void?: true; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const released: Awaited<ReturnType<typeof control.quarantine.release>>[] = [];
        for (const request of requests) {
          released.push(await control.quarantine.release(request, options.void === true ? "void" : "charge"));
        }
        printResult({ released }, { json: options.json === true, text: () => released.map(releaseText).join("\n") });
        process.exitCode = released.some(({ result }) => STAYS.has(result)) ? 1 : 0;
      });
    });
}
