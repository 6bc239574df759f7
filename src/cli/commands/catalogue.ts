import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { readCatalogueFile } from "../../config/catalogue-file.ts";
import { changeView } from "../../wire/admin/change.ts";
import { withCatalogue } from "../open-catalogue.ts";
import { changeListing, priceBookListing, priceBookView } from "../text/price-text.ts";
import { printResult } from "../text/print.ts";
import { CommandError } from "../report-failure.ts";

type Options = { json?: true };

/** `tollgate catalogue`: providers, models, prices and routes from a file, and what prices have been. */
export function addCatalogueCommands(program: Command): void {
  const catalogue = program.command("catalogue").description("publish providers, models, prices and routes");
  catalogue
    .command("apply <file>")
    .description("make the catalogue as the file describes it; what it does not mention stays")
    .option("--json", "print JSON")
    .action(async (file: string, options: Options, command: Command) => {
      const description = readCatalogueFile(readFileSync(file, "utf8"), file);
      await withCatalogue(command, async (store) => {
        const changes = await store.apply(description);
        const json = options.json === true;
        printResult({ changes: changes.map(changeView) }, { json, text: () => changeListing(changes) });
      });
    });
  catalogue
    .command("prices <model>")
    .description("list every version of a model's price: past, in force, to come, withdrawn or suspended")
    .option("--json", "print JSON")
    .action(async (model: string, options: Options, command: Command) => {
      await withCatalogue(command, async (store) => {
        const book = await store.prices(model);
        if (book === null) throw new CommandError(`there is no model ${JSON.stringify(model)} in the catalogue.`);
        const nowMs = Date.now();
        const json = options.json === true;
        printResult({ model, prices: priceBookView(book, nowMs) }, { json, text: () => priceBookListing(book, nowMs) });
      });
    });
}
