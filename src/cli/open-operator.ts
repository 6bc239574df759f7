import type { Command } from "commander";
import type { GatewayAddress } from "../admin-client/ask-gateway.ts";
import { remoteCaller, remoteOperator } from "../admin-client/remote-operator.ts";
import type { ReadCredential } from "../app/catalogue/read-credential.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import type { Config, LoadedConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/read/process-environment.ts";
import { databaseAt } from "../db/postgres/host-list.ts";
import type { By } from "../core/people/by.ts";
import { systemClock } from "../core/clock.ts";
import type { Operator } from "../operator/operator.ts";
import { commandEvents } from "./command-events.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { loadSettings, NO_DATABASE, openDatabase } from "./open-database.ts";
import { isInTheClear } from "./input/in-the-clear.ts";
import { CommandError } from "./report-failure.ts";
import { warn } from "./text/screen.ts";

/** Who changes something by a command on the database itself. */
export const BY_COMMAND: By = { actor: "cli", via: "cli" };

type Way = {
  config: Config;
  through: "database" | "gateway";
  /** Which of these: an address without credentials. */
  at: string;
  /** Null: whoever has the database is nobody in particular. */
  askCaller: () => ReturnType<typeof remoteCaller> | Promise<null>;
  readCredential: ReadCredential;
};
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
 * The gateway that the settings name, through its admin listener; else the database that they name. Else a `dev` running in this
 * folder, whose database belongs to that one process alone.
 */
async function openOperator(loaded: LoadedConfig): Promise<Opened> {
  const { config } = loaded;
  const credentials = openProviderCredentials(config.credential, processEnvironment());
  const gateway = remoteGateway(config);
  if (gateway === null && config.database.url !== null) {
    // Loaded here because the other way does not need it.
    const { createOperator } = await import("../app/create-operator.ts");
    const { createReadCredential } = await import("../app/catalogue/read-credential.ts");
    const database = openDatabase(loaded, () => undefined);
    const { acceptForeign } = config.keys;
    const parts = {
      database,
      credentials,
      events: commandEvents(config),
      clock: systemClock,
      acceptForeign,
      creditUsd: config.creditUsd,
      notices: config.notices,
    };
    return {
      operator: createOperator(parts),
      through: "database",
      at: databaseAt(config.database.url.reveal()),
      askCaller: () => Promise.resolve(null),
      readCredential: createReadCredential(credentials, database),
      close: () => database.close(),
    };
  }
  const address = gateway ?? findRunningDev();
  if (address === null) throw new CommandError(NO_DATABASE);
  const readCredential: ReadCredential = async (provider) =>
    credentials.credential({ ...provider, provider: provider.name });
  return {
    operator: remoteOperator(address),
    through: "gateway",
    at: address.adminUrl,
    askCaller: () => remoteCaller(address),
    readCredential,
    close: () => Promise.resolve(),
  };
}

/** The gateway of `TOLLGATE_URL`; null when none is named. The settings refuse a URL without a token. */
function remoteGateway({ cli: { url, token } }: Config): GatewayAddress | null {
  if (url === null || token === null) return null;
  if (isInTheClear(url)) warn(`${url} is not https: everybody on the way can read the token.`);
  return {
    adminUrl: url,
    adminToken: token.reveal(),
    advice: "Check that it runs, and that TOLLGATE_URL is the URL of its admin listener",
  };
}
