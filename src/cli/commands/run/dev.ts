import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { Gateway } from "../../../app.ts";
import { createPasswordSignInOn } from "../../../app/entrance/create-people.ts";
import { consoleState } from "../../../app/read-built-console.ts";
import { createOperator } from "../../../app/create-operator.ts";
import { openProviderCredentials } from "../../../app/catalogue/provider-credentials.ts";
import { buildInfo, buildName } from "../../../config/build-info.ts";
import { readCatalogueFile } from "../../../config/read/catalogue-file.ts";
import { describeConfig } from "../../../config/describe.ts";
import type { Config, LoadedConfig } from "../../../config/load-config.ts";
import { processEnvironment } from "../../../config/read/process-environment.ts";
import { secretFilesOf } from "../../../config/read/secret-files.ts";
import { invariant } from "../../../core/invariant.ts";
import { systemClock } from "../../../core/clock.ts";
import { createSecret } from "../../../core/secret/secret.ts";
import type { KeyMode } from "../../../core/people/key-mode.ts";
import { everyPage } from "../../../core/page.ts";
import type { Database } from "../../../db/database.ts";
import { isMigrated, migrate, pendingMigrations } from "../../../db/schema/migrate.ts";
import { schemaFolder } from "../../../db/schema-files.ts";
import { lockFolder } from "../../../db/pglite/folder-lock.ts";
import { createPglite } from "../../../db/pglite/pglite.ts";
import type { Operator } from "../../../operator/operator.ts";
import { startSimulator } from "../../../simulator/simulator.ts";
import { httpUrl } from "../../arguments.ts";
import { devCatalogue, FIRST_MODEL, SIMULATOR_VARIABLE } from "../../dev/dev-catalogue.ts";
import {
  DEFAULT_DEV_FOLDER,
  DEMO_FOLDER,
  devCredentialKey,
  devFolder,
  type DevReady,
  readDevState,
  removeReadyFile,
  runningDevIn,
  writeDevState,
  writeReadyFile,
} from "../../dev/dev-folder.ts";
import { DEMO_DAYS, FEWEST_DAYS, keepingRecords, openDemoFolder } from "../../dev/demo-folder.ts";
import { devWelcome } from "../../dev/dev-welcome.ts";
import { howToCall } from "../../dev/how-to-call.ts";
import { loadDemo } from "../../dev/load-demo.ts";
import { createRequestView } from "../../dev/request-view.ts";
import { loadSettings, openDatabase } from "../../open-database.ts";
import { BY_COMMAND } from "../../open-operator.ts";
import { openTelemetry } from "../../serve/open-telemetry.ts";
import type { Events } from "../../../telemetry/events.ts";
import { openLineOutput } from "../../../telemetry/log/line-output.ts";
import { CommandError } from "../../report-failure.ts";
import { screenOf } from "../../text/screen.ts";
import { requireFreePorts } from "../../serve/require-free-ports.ts";
import { runGateway } from "../../serve/run-gateway.ts";
import { portNumber } from "./simulate.ts";

type DevOptions = {
  port?: number;
  adminPort?: number;
  folder?: string;
  database?: string;
  demo?: true;
  seed: string;
  days: number;
  readyFile?: string;
  simulator?: string;
  catalogue?: string;
  recordings?: string;
  json?: true;
};

/** `tollgate dev`: everything on this machine, with no configuration and no database server. */
export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description("run everything on this machine: gateway, database, simulated provider and two keys")
    .option("--port <number>", "port of the gateway; 0 picks a free port (default: 8080)", portNumber)
    .option("--admin-port <number>", "port of the admin listener (default: a free port)", portNumber)
    .option(
      "--folder <path>",
      `folder for the database, the keys and the log (default: ${DEFAULT_DEV_FOLDER}, with --demo ${DEMO_FOLDER})`,
    )
    .option(
      "--database <url>",
      "keep the data in this PostgreSQL, an empty one or one of `tollgate dev`, not in the folder",
    )
    .option("--demo", "fill the database with made-up traffic of forty people, for a look at the console")
    .option("--seed <text>", "with --demo: another seed makes other traffic", "tollgate")
    .option(
      "--days <number>",
      `with --demo: how many days of traffic to make, ${FEWEST_DAYS} to ${DEMO_DAYS}`,
      demoDays,
      DEMO_DAYS,
    )
    .option("--ready-file <file>", "write URLs and keys to this file as JSON once dev is ready")
    .option("--simulator <url>", "use a simulated provider that is already running", httpUrl)
    .option("--catalogue <file>", "also publish the providers and models in this file")
    .option("--recordings <folder>", "recorded answers for the simulated provider to replay")
    .option("--json", "print URLs and keys as JSON, and no request lines")
    .action(runDev);
}

function demoDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < FEWEST_DAYS || days > DEMO_DAYS)
    throw new InvalidArgumentError(`It must be a whole number of days, ${FEWEST_DAYS} to ${DEMO_DAYS}.`);
  return days;
}

async function runDev(options: DevOptions, command: Command): Promise<void> {
  const shownFolder = options.folder ?? (options.demo ? DEMO_FOLDER : DEFAULT_DEV_FOLDER);
  const folder = devFolder(shownFolder);
  const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
  const own = devConfig(loaded.config, { ...options, folder });
  const config = options.demo ? keepingRecords(own) : own;
  // Before the database, which takes seconds. Where another dev has the folder, that is the better reason.
  if (runningDevIn(folder) === null) await requireFreePorts([config.listen, config.admin]);
  // The simulated provider takes any credential.
  const environment = { ...processEnvironment(), [SIMULATOR_VARIABLE]: "simulated" };
  const settings = { ...devSettings(loaded, config), secretFiles: secretFilesOf(loaded, environment) };
  const credentials = openProviderCredentials(config.credential, environment);
  if (options.readyFile !== undefined) removeReadyFile(options.readyFile);
  const logFile = join(folder, "tollgate.log");
  const screen = screenOf(process.stdout);
  const lines = openLineOutput(() => undefined);
  // With --json, standard output is one JSON object.
  const view = options.json ? {} : { watch: createRequestView({ output: lines, screen, clock: systemClock }) };
  const telemetry = await openTelemetry(config, { file: logFile, ...view });

  const seeded = options.demo ? await openDemoFolder(folder) : null;
  const database = await openDevDatabase(options, folder, { loaded, events: telemetry.events });
  const { acceptForeign } = config.keys;
  const events = { events: telemetry.events, clock: systemClock };
  const operator = createOperator({ database, credentials, ...events, acceptForeign, creditUsd: config.creditUsd });
  if (options.database !== undefined) await requireOwn(database, operator);
  await migrate(database, { folder: schemaFolder(), program: buildName(buildInfo()) });
  // Throws if a newer version has migrated it, on whose tables this one cannot serve: `migrate` leaves them as they are.
  await pendingMigrations(database, { folder: schemaFolder() });
  const simulator = await openSimulator(options);
  const { seed, days } = options;
  const home = { folder, seed, days, database, credentials, operator, simulatorUrl: simulator.url };
  const demo = options.demo ? await (await loadDemo()).openDemo(seeded, home) : null;
  if (demo === null) await operator.catalogue.apply(devCatalogue(simulator.url), BY_COMMAND);
  if (options.catalogue !== undefined) await publishFile(operator, options.catalogue);
  const keys = demo?.keys ?? (await devKeys(operator, folder));
  const adminToken = randomBytes(24).toString("base64url");
  const setupToken = (await createPasswordSignInOn({ database, ...events }).offerSetup(0))?.token ?? null;

  const gateway = runGateway(
    { config, adminToken, database, credentials, settings, ...telemetry },
    telemetry,
    ({ publicUrl, adminUrl }: Gateway) => {
      const ready: DevReady = { publicUrl, adminUrl, adminToken, simulatorUrl: simulator.url, keys };
      writeDevState(folder, { ...ready, pid: process.pid });
      if (options.readyFile !== undefined) writeReadyFile(options.readyFile, ready);
      const call = callOf(process.argv[1] ?? "");
      const surroundings = { folder: shownFolder, logFile, call, screen, setupToken, console: consoleState() };
      const welcome = devWelcome(ready, { ...surroundings, ...demo?.welcome });
      process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : welcome);
      demo?.begin(publicUrl);
    },
  );
  try {
    await gateway;
  } finally {
    const { stalled } = await lines.close();
    await simulator.close();
    if (stalled) process.exit();
  }
}

/** In the folder, unless another is named; either way the folder is this process's alone. */
async function openDevDatabase({ database: url, demo }: DevOptions, folder: string, opened: Opened): Promise<Database> {
  if (url === undefined) return createPglite({ dataFolder: folder });
  if (demo) throw new CommandError("--demo keeps its data in its folder; leave --database out.");
  const lock = await lockFolder(folder);
  const database = openDatabase(withDatabase(opened.loaded, url), opened.events.connectionBroken);
  const close = async (): Promise<void> => {
    await database.close();
    await lock.release();
  };
  return { ...database, close };
}

type Opened = { loaded: LoadedConfig; events: Events };

/** A database that serves others is left as it is: `dev` issues keys with credit. */
async function requireOwn(database: Database, { catalogue }: Operator): Promise<void> {
  if (!(await isMigrated(database))) return;
  const { data: models } = await everyPage(catalogue.listModels);
  if (models.length === 0 || models.some(({ id }) => id === FIRST_MODEL)) return;
  await database.close();
  throw new CommandError("the database has models, and none that `tollgate dev` made. Name an empty database.");
}

const withDatabase = (loaded: LoadedConfig, url: string): LoadedConfig => ({
  ...loaded,
  config: { ...loaded.config, database: { ...loaded.config.database, url: createSecret(url) } },
});

async function publishFile({ catalogue }: Operator, path: string): Promise<void> {
  await catalogue.apply(readCatalogueFile(readFileSync(path, "utf8"), path), BY_COMMAND);
}

const openSimulator = ({ simulator, recordings }: DevOptions): Promise<{ url: string; close: () => Promise<void> }> =>
  simulator === undefined
    ? startSimulator(recordings === undefined ? {} : { recordingsFolder: recordings })
    : Promise.resolve({ url: simulator, close: () => Promise.resolve() });

const callOf = (main: string): string =>
  howToCall({ main, folder: process.cwd(), searched: processEnvironment()["PATH"] ?? "" });

/** Fixed where a stranger would have to look it up, free where nobody cares. Credentials are stored with a key of the folder's own. */
function devConfig(config: Config, options: Pick<DevOptions, "port" | "adminPort"> & { folder: string }): Config {
  const { credential } = config;
  return {
    ...config,
    credential: { ...credential, key: credential.key ?? devCredentialKey(options.folder) },
    listen: { ...config.listen, ...(options.port === undefined ? {} : { port: options.port }) },
    admin: { ...config.admin, port: options.adminPort ?? 0 },
  };
}

/** Whatever this command chose itself, nobody set. */
function devSettings(
  { file, sources, config: set }: LoadedConfig,
  config: Config,
): Pick<LoadedConfig, "file" | "sources"> {
  const before = new Map(describeConfig(set, sources).map(({ path, value }) => [path, value]));
  const chosen = describeConfig(config, sources).filter(({ path, value }) => before.get(path) !== value);
  const source = { kind: "command", name: "tollgate dev" } as const;
  return { file, sources: new Map([...sources, ...chosen.map(({ path }) => [path, source] as const)]) };
}

/** What the keys of `dev` start with: enough to play, little enough to see it move. */
const DEV_CREDIT = 100n * 10n ** 9n;
const DEV_TOKENS = 10_000_000n;

/** The keys of the last run while they still work, else new ones: a client that was set up once stays set up. */
async function devKeys({ keys, funds }: Operator, folder: string): Promise<DevReady["keys"]> {
  const last = readDevState(folder)?.keys;
  const { data: living } = await everyPage(keys.list);
  const keep = (secret: string | undefined): string | null =>
    secret !== undefined && living.some((key) => key.status === "active" && secret.startsWith(key.prefix))
      ? secret
      : null;
  const issue = async (mode: KeyMode): Promise<string> => {
    const unlimited = {
      providerScope: "all",
      models: null,
      tiers: null,
      regions: null,
      rpmLimit: null,
      expiresAtMs: null,
    };
    const penniless = { credit: null, budget: null, period: null };
    const order = { mode, label: `dev ${mode}`, ...unlimited, ...penniless, existing: null };
    const { secret } = await keys.create(order, BY_COMMAND);
    invariant(secret !== null, "a key that keeps no secret is given one");
    return secret;
  };
  const made = {
    credit: keep(last?.credit) ?? (await issue("credit")),
    token_budget: keep(last?.token_budget) ?? (await issue("token_budget")),
  };
  // Booked once per key, however often `dev` starts.
  const reference = "dev:opening";
  await funds.topUp(prefixOf(made.credit), { amount: DEV_CREDIT, kind: "grant", reference }, BY_COMMAND);
  await funds.setBudget(prefixOf(made.token_budget), { budget: DEV_TOKENS, period: "month", reference }, BY_COMMAND);
  return made;
}

const prefixOf = (secret: string): string => secret.slice(0, 12);
