import type { Command } from "commander";
import type { Control } from "../app.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { loadSettings, openDatabase } from "./open-database.ts";
import { CommandError } from "./report-failure.ts";

export type Catalogue = Control["catalogue"];

/** Runs `work` with the catalogue of the database that the settings name. */
export async function withCatalogue(
  command: Command,
  work: (catalogue: Catalogue, loaded: LoadedConfig) => Promise<void>,
): Promise<void> {
  const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
  if (loaded.config.database.url === null) {
    throw new CommandError(
      "the catalogue is changed in a database: set DATABASE_URL (database.url). That of a running `tollgate dev` belongs to its process alone; give it a file with `tollgate dev --catalogue FILE`.",
    );
  }
  // Loaded here because it brings the whole gateway along, which a mistyped command does not need.
  const { createControl } = await import("../app.ts");
  const database = openDatabase(loaded, () => undefined);
  try {
    await work(createControl(database).catalogue, loaded);
  } finally {
    await database.close();
  }
}
