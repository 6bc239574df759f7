import type { Command } from "commander";
import { remoteOperator } from "../admin-client/remote-operator.ts";
import type { ReadCredential } from "../app/read-credential.ts";
import { openProviderCredentials } from "../app/provider-credentials.ts";
import type { Config, LoadedConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/process-environment.ts";
import type { By } from "../core/by.ts";
import { systemClock } from "../core/clock.ts";
import type { Operator } from "../operator/operator.ts";
import { commandEvents } from "./command-events.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { loadSettings, NO_DATABASE, openDatabase } from "./open-database.ts";
import { CommandError } from "./report-failure.ts";

/** Who changes something by a command on the database itself. */
export const BY_COMMAND: By = { actor: "cli", via: "cli" };

type Way = { config: Config; through: "database" | "gateway"; readCredential: ReadCredential };
type Opened = Omit<Way, "config"> & { operator: Operator; close: () => Promise<void> };

/** Runs `work` with an operator and closes what was opened for it. */
export async function withOperator(
  command: Command,
  work: (operator: Operator, by: By, way: Way) => Promise<void>,
): Promise<void> {
  const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
  const { operator, close, ...way } = await openOperator(loaded);
  try {
    await work(operator, BY_COMMAND, { config: loaded.config, ...way });
  } finally {
    await close();
  }
}

/**
 * The database when the settings name one. Else a `dev` running in this folder, through its admin listener: its database
 * belongs to that one process alone.
 */
async function openOperator(loaded: LoadedConfig): Promise<Opened> {
  const { config } = loaded;
  const credentials = openProviderCredentials(config.credential, processEnvironment());
  if (config.database.url !== null) {
    // Loaded here because the other way does not need it.
    const { createOperator } = await import("../app/create-operator.ts");
    const { createReadCredential } = await import("../app/read-credential.ts");
    const database = openDatabase(loaded, () => undefined);
    const { acceptForeign } = config.keys;
    const parts = {
      database,
      credentials,
      events: commandEvents(config),
      clock: systemClock,
      acceptForeign,
      notices: config.notices,
    };
    return {
      operator: createOperator(parts),
      through: "database",
      readCredential: createReadCredential(credentials, database),
      close: () => database.close(),
    };
  }
  const dev = findRunningDev();
  if (dev === null) throw new CommandError(NO_DATABASE);
  const readCredential: ReadCredential = async (provider) =>
    credentials.credential({ ...provider, provider: provider.name });
  return { operator: remoteOperator(dev), through: "gateway", readCredential, close: () => Promise.resolve() };
}
