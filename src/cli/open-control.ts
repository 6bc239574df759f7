import type { Command } from "commander";
import type { LoadedConfig } from "../config/load-config.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { loadSettings, NO_DATABASE, openDatabase } from "./open-database.ts";
import type { OperatorControl } from "./operator-control.ts";
import { remoteControl } from "./remote-control.ts";
import { CommandError } from "./report-failure.ts";

/** Runs `work` with a control and closes what was opened for it. */
export async function withControl(command: Command, work: (control: OperatorControl) => Promise<void>): Promise<void> {
  const { control, close } = await openControl(loadSettings(command.optsWithGlobals<{ config?: string }>().config));
  try {
    await work(control);
  } finally {
    await close();
  }
}

/**
 * The database when the settings name one. Else a `dev` running in this folder, through its admin listener: its database
 * belongs to that one process alone.
 */
async function openControl(loaded: LoadedConfig): Promise<{ control: OperatorControl; close: () => Promise<void> }> {
  if (loaded.config.database.url !== null) {
    // Loaded here because it brings the whole gateway along, which the other way does not need.
    const { createControl } = await import("../app.ts");
    const database = openDatabase(loaded, () => undefined);
    return { control: createControl(database), close: () => database.close() };
  }
  const dev = findRunningDev();
  if (dev === null) throw new CommandError(NO_DATABASE);
  return { control: remoteControl(dev), close: () => Promise.resolve() };
}
