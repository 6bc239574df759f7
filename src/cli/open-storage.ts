import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { createStorage } from "../app/create-storage.ts";
import type { By } from "../core/people/by.ts";
import { systemClock } from "../core/clock.ts";
import type { ManageStorage } from "../operator/storage.ts";
import { commandEvents } from "./command-events.ts";
import { loadSettings, openDatabase } from "./open-database.ts";
import { BY_COMMAND } from "./open-operator.ts";

const PAUSE_MS = 500;
/** Nobody waits for what takes long here; where somebody does, it sets a limit of its own. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** Runs `work` where the books lie, which needs the database itself. */
export async function withStorage(
  command: Command,
  work: (storage: ManageStorage, by: By) => Promise<void>,
): Promise<void> {
  const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
  const { config } = loaded;
  const settings = { ...config.database, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const database = openDatabase({ ...loaded, config: { ...config, database: settings } }, () => undefined);
  try {
    const pause = () => sleep(PAUSE_MS);
    const events = commandEvents(config);
    await work(createStorage({ database, events, clock: systemClock, pause }), BY_COMMAND);
  } finally {
    await database.close();
  }
}
