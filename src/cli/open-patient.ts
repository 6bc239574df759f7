import { remoteOperator } from "../admin-client/remote-operator.ts";
import { createOperator } from "../app/create-operator.ts";
import { createReachProviders } from "../app/catalogue/create-reach-providers.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { processEnvironment } from "../config/read/process-environment.ts";
import { secretFilesOf } from "../config/read/secret-files.ts";
import { systemClock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { lookAtServers } from "../db/line/look-at-servers.ts";
import { schemaFolder } from "../db/schema-files.ts";
import { askGateway } from "../doctor/ask-gateway.ts";
import { readHost } from "../doctor/host.ts";
import type { Patient } from "../doctor/patient.ts";
import { openWayIn } from "../doctor/way-in.ts";
import type { ModelDetails } from "../operator/catalogue.ts";
import type { Operator } from "../operator/operator.ts";
import { commandEvents } from "./command-events.ts";
import { findRunningDev } from "./dev/dev-folder.ts";
import { loadSettings, openDatabase } from "./open-database.ts";
import { messageOf } from "./report-failure.ts";

/** One for statements, one for the question whether notifications arrive. */
const POOL_SIZE = 2;
const PAGE = 1_000;

type PatientOptions = { workers: number; url: string | null; silenceMs: number };
type Opened = { patient: Patient; close: () => Promise<void> };

/** What `tollgate doctor` looks at: as much as the settings lead to. */
export function openPatient(
  configFile: string | undefined,
  { workers, url: publicUrl, silenceMs }: PatientOptions,
): Opened {
  const { loaded, problem } = attemptSettings(configFile);
  const { url = null } = loaded?.config.database ?? {};
  const database = loaded === null || url === null ? null : openSmall(loaded);
  const dev = loaded !== null && database === null ? findRunningDev() : null;
  const credentials = loaded && openProviderCredentials(loaded.config.credential, processEnvironment());
  const operator =
    loaded && credentials && database
      ? createOperator({
          database,
          credentials,
          events: commandEvents(loaded.config),
          clock: systemClock,
          acceptForeign: loaded.config.keys.acceptForeign,
        })
      : dev && remoteOperator(dev);
  const adminToken = loaded?.config.admin.token?.reveal() ?? dev?.adminToken ?? "";
  const patient: Patient = {
    host: readHost(),
    workers,
    config: loaded?.config ?? null,
    settingsProblem: problem,
    settingsFile: loaded?.file ?? null,
    secretFiles: loaded === null ? [] : secretFilesOf(loaded, processEnvironment()),
    isDev: dev !== null,
    lookAtServers: async () =>
      loaded === null || url === null ? [] : lookAtServers(url.reveal(), loaded.config.database),
    database,
    schemaFolder: schemaFolder(),
    listModels: async () => (operator === null ? [] : listAll(operator)),
    reachProviders: database && credentials && createReachProviders({ database, credentials, fetch }),
    askGateway: async () => (loaded === null ? null : askGateway(loaded.config.admin)),
    wayIn: publicUrl === null ? null : openWayIn({ url: publicUrl, adminToken, ...systemClock }),
    silenceMs,
    explain: messageOf,
    nowMs: systemClock.nowMs,
  };
  return { patient, close: async () => database?.close() };
}

function attemptSettings(configFile: string | undefined): { loaded: LoadedConfig | null; problem: Error | null } {
  try {
    return { loaded: loadSettings(configFile), problem: null };
  } catch (error) {
    return { loaded: null, problem: error instanceof Error ? error : new Error(String(error)) };
  }
}

const openSmall = (loaded: LoadedConfig): Database => {
  const { config } = loaded;
  const database = { ...config.database, poolSize: POOL_SIZE };
  return openDatabase({ ...loaded, config: { ...config, database } }, () => undefined);
};

async function listAll({ catalogue }: Operator): Promise<ModelDetails[]> {
  const models: ModelDetails[] = [];
  let after: string | null = null;
  do {
    const page = await catalogue.listModels({ limit: PAGE, after });
    models.push(...page.data);
    after = page.next;
  } while (after !== null);
  return models;
}
