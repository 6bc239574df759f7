import type { Command } from "commander";
import { withCatalogue } from "../open-catalogue.ts";
import { printResult } from "../text/print.ts";
import { rekeyText, rekeyView } from "../text/rekey-text.ts";

/** `tollgate providers rekey`. */
export function addProviderRekeyCommand(providers: Command): void {
  providers
    .command("rekey")
    .description("seal every stored credential anew with credential.key, opening it with credential.previous_key")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withCatalogue(command, async (catalogue) => {
        const rekeyed = await catalogue.rekeyProviders();
        printResult(rekeyView(rekeyed), { json: options.json === true, text: () => rekeyText(rekeyed) });
        process.exitCode = rekeyed.unopened.length === 0 ? 0 : 1;
      });
    });
}
