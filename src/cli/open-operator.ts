import type { Command } from "commander";
import { remoteOperator } from "../admin-client/remote-operator.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { By } from "../core/by.ts";
import { systemClock } from "../core/clock.ts";
import type { Operator } from "../operator/operator.ts";
import { commandEvents } from "./command-events.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { loadSettings, NO_DATABASE, openDatabase } from "./open-database.ts";
import { CommandError } from "./report-failure.ts";

/** Who changes something by a command on the database itself. */
export const BY_COMMAND: By = { actor: "cli" };

/** Runs `work` with an operator and closes what was opened for it. */
export async function withOperator(
  command: Command,
  work: (operator: Operator, by: By) => Promise<void>,
): Promise<void> {
  const { operator, close } = await openOperator(loadSettings(command.optsWithGlobals<{ config?: string }>().config));
  try {
    await work(operator, BY_COMMAND);
  } finally {
    await close();
  }
}

/**
 * The database when the settings name one. Else a `dev` running in this folder, through its admin listener: its database
 * belongs to that one process alone.
 */
async function openOperator(loaded: LoadedConfig): Promise<{ operator: Operator; close: () => Promise<void> }> {
  if (loaded.config.database.url !== null) {
    // Loaded here because the other way does not need it.
    const { createOperator } = await import("../app/create-operator.ts");
    const database = openDatabase(loaded, () => undefined);
    return {
      operator: createOperator({ database, events: commandEvents(loaded.config), clock: systemClock }),
      close: () => database.close(),
    };
  }
  const dev = findRunningDev();
  if (dev === null) throw new CommandError(NO_DATABASE);
  return { operator: remoteOperator(dev), close: () => Promise.resolve() };
}
