import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { readCatalogueFile } from "../../../config/read/catalogue-file.ts";
import { everyPage } from "../../../core/page.ts";
import { catalogueChanges } from "../../../contract/catalogue-changes.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { changeListing, priceBookListing, priceBookView } from "../../text/catalogue/price-text.ts";
import { printResult } from "../../text/print.ts";

type Options = { json?: true };

/** `tollgate catalogue`: providers, models, prices and routes from a file, and what prices have been. */
export function addCatalogueCommands(program: Command): void {
  const catalogue = program.command("catalogue").description("apply a catalogue file, and list prices");
  catalogue
    .command("apply <file>")
    .description("create and update providers, models, prices and routes from a file; nothing is deleted")
    .option("--json", "print JSON")
    .action(async (file: string, options: Options, command: Command) => {
      const description = readCatalogueFile(readFileSync(file, "utf8"), file);
      await withOperator(command, async ({ catalogue: models }, by) => {
        const changes = await models.apply(description, by);
        const json = options.json === true;
        printResult(written(catalogueChanges, changes), { json, text: (screen) => changeListing(changes, screen) });
      });
    });
  catalogue
    .command("prices <model>")
    .description("list all price versions of a model: past, current, upcoming, withdrawn and suspended")
    .option("--json", "print JSON")
    .action(async (model: string, options: Options, command: Command) => {
      await withOperator(command, async ({ catalogue: models }) => {
        const { data: book } = await everyPage((page) => models.listPrices(model, page));
        const nowMs = Date.now();
        const json = options.json === true;
        printResult(
          { model, prices: priceBookView(book, nowMs) },
          { json, text: (screen) => priceBookListing(book, nowMs, screen) },
        );
      });
    });
}
