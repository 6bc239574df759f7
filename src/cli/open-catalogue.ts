import type { Command } from "commander";
import { credentialSources } from "../config/credential-sources.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/process-environment.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { localCatalogue } from "./local-catalogue.ts";
import { openCredentials } from "../credentials/open-credentials.ts";
import { loadSettings, NO_DATABASE, openDatabase } from "./open-database.ts";
import type { Catalogue } from "./operator-control.ts";
import { createProviderTools } from "./provider-tools.ts";
import { remoteCatalogue } from "./remote-catalogue.ts";
import { CommandError } from "./report-failure.ts";

/** Runs `work` with the catalogue of the database that the settings name, or else of the `dev` that runs in this folder. */
export async function withCatalogue(
  command: Command,
  work: (catalogue: Catalogue, loaded: LoadedConfig) => Promise<void>,
): Promise<void> {
  const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
  if (loaded.config.database.url === null) {
    const dev = findRunningDev();
    if (dev === null) throw new CommandError(NO_DATABASE);
    await work(remoteCatalogue(dev), loaded);
    return;
  }
  // Loaded here because it brings the whole gateway along, which a mistyped command does not need.
  const { createControl } = await import("../app.ts");
  const database = openDatabase(loaded, () => undefined);
  try {
    const providerTools = createProviderTools(
      openCredentials(loaded.config.credential, credentialSources(processEnvironment())),
    );
    await work(localCatalogue(createControl(database).catalogue, providerTools), loaded);
  } finally {
    await database.close();
  }
}
