import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { createControl } from "../../app.ts";
import { readCatalogueFile } from "../../config/catalogue-file.ts";
import { loadSettings, openDatabase } from "../open-database.ts";
import { printResult, table } from "../print.ts";

/** `tollgate catalogue apply FILE`: providers, models, prices and routes from a file. */
export function addCatalogueCommands(program: Command): void {
  const catalogue = program.command("catalogue").description("publish providers, models, prices and routes");
  catalogue
    .command("apply <file>")
    .description("make the catalogue as the file describes it; what it does not mention stays")
    .option("--json", "print JSON")
    .action(async (file: string, options: { json?: true }, command: Command) => {
      const description = readCatalogueFile(readFileSync(file, "utf8"), file);
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const database = openDatabase(loaded, () => undefined);
      try {
        const changes = await createControl(database).catalogue.apply(description);
        const rows = changes.map(({ kind, name, change }) => [change, kind, name]);
        printResult(
          { changes },
          {
            json: options.json === true,
            text: () => (rows.length === 0 ? "nothing to change" : table(["CHANGE", "WHAT", "NAME"], rows)),
          },
        );
      } finally {
        await database.close();
      }
    });
}
