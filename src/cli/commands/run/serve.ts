import cluster from "node:cluster";
import { type Command, InvalidArgumentError } from "commander";
import { createPasswordSignInOn } from "../../../app/entrance/create-people.ts";
import { openProviderCredentials } from "../../../app/catalogue/provider-credentials.ts";
import { buildInfo, buildName } from "../../../config/build-info.ts";
import type { LoadedConfig } from "../../../config/load-config.ts";
import { processEnvironment } from "../../../config/read/process-environment.ts";
import { secretFilesOf } from "../../../config/read/secret-files.ts";
import { requireSettings } from "../../../config/require-settings.ts";
import { systemClock } from "../../../core/clock.ts";
import type { Database } from "../../../db/database.ts";
import { migrate, readSchemaState } from "../../../db/schema/migrate.ts";
import { newerThanThis, requireServing } from "../../../db/schema/newer-schema.ts";
import { schemaFolder } from "../../../db/schema-files.ts";
import type { Events } from "../../../telemetry/events.ts";
import { createWorkerEvents } from "../../../telemetry/worker-events.ts";
import { chooseAdminPorts } from "../../serve/admin-ports.ts";
import { loadSettings, openDatabase, openOperatorDatabase } from "../../open-database.ts";
import { openTelemetry } from "../../serve/open-telemetry.ts";
import { portProblem } from "../../serve/port-problem.ts";
import { requireFreePorts } from "../../serve/require-free-ports.ts";
import { CommandError } from "../../report-failure.ts";
import { runGateway } from "../../serve/run-gateway.ts";
import { setUpPeople } from "../../serve/set-up-people.ts";
import { sayAlive } from "../../serve/say-alive.ts";
import { runWorkers } from "../../serve/workers.ts";

type ServeOptions = { migrate?: true; workers: number };

const MOST_WORKERS = 256;
/** For what follows the drain: the last settlements, and closing what is open. */
const FAREWELL_MS = 30_000;

/** `tollgate serve`: the gateway, on a PostgreSQL. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("run the gateway on PostgreSQL, with settings from tollgate.yaml and the environment")
    .option("--migrate", "apply pending migrations first")
    .option("--workers <number>", "processes that share the port; each has an admin port of its own", workerCount, 1)
    .action(async (options: ServeOptions, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      requireSettings(loaded, ["database.url", "admin.token"]);
      if (options.workers === 1 || cluster.isWorker) await serve(loaded, options);
      else await superviseWorkers(loaded, options);
    });
}

async function serve(loaded: LoadedConfig, options: ServeOptions): Promise<void> {
  const { config } = loaded;
  if (cluster.isWorker) sayAlive();
  // Workers share the port, and their parent has looked.
  if (cluster.isPrimary) await requireFree([config.listen, config.admin], config);
  const telemetry = await openTelemetry(config);
  const waitsIn = (pool: "requests" | "operator") => ({
    elapsedMs: systemClock.elapsedMs,
    waited: telemetry.metrics.connectionWaited[pool],
  });
  const database = openDatabase(loaded, telemetry.events.connectionBroken, {
    ...lineOf(telemetry.events),
    waits: waitsIn("requests"),
  });
  await requireCurrent(database, options);
  if (cluster.isPrimary) {
    await inspect(database, telemetry.events);
    await setUp(database, telemetry.events, config);
  }
  const { connectionBroken, serverRefused } = telemetry.events;
  const line = { strangers: "refused", onRefused: serverRefused, waits: waitsIn("operator") } as const;
  const parts = {
    config,
    adminToken: config.admin.token?.reveal() ?? "",
    database,
    operatorDatabase: openOperatorDatabase(loaded, connectionBroken, line),
    credentials: openProviderCredentials(config.credential, processEnvironment()),
    settings: { ...loaded, secretFiles: secretFilesOf(loaded, processEnvironment()) },
    workers: options.workers,
    ...telemetry,
  };
  await runGateway(parts, telemetry, () => undefined).catch((error: unknown) => {
    throw portProblem(error, config) ?? error;
  });
}

/** Sees to the database once, then starts workers that run `serve` each and keeps their number. */
async function superviseWorkers(loaded: LoadedConfig, options: ServeOptions): Promise<void> {
  const { listen, admin, drain } = loaded.config;
  const adminPorts = await chooseAdminPorts(admin, options.workers);
  await requireFree([listen, ...adminPorts.map((port) => ({ host: admin.host, port }))], loaded.config);
  const { events, logger } = await openTelemetry(loaded.config);
  const database = openDatabase(loaded, events.connectionBroken, lineOf(events));
  await requireCurrent(database, options);
  await inspect(database, events);
  await setUp(database, events, loaded.config);
  await database.close();
  process.exitCode = await runWorkers({
    adminPorts,
    clock: systemClock,
    endWithinMs: drain.delayMs + drain.deadlineMs + FAREWELL_MS,
    events: createWorkerEvents({ logger }),
  });
  if ((await logger.close()).stalled) process.exit();
}

/** Before the database is touched, so that a start that cannot succeed changes nothing. */
async function requireFree(places: Parameters<typeof requireFreePorts>[0], config: LoadedConfig["config"]) {
  await requireFreePorts(places).catch((error: unknown) => {
    throw portProblem(error, config) ?? error;
  });
}

const lineOf = ({ serverRefused, booksMoved, statementsUnprepared }: Events) =>
  ({
    strangers: "refused",
    onRefused: serverRefused,
    onMoved: booksMoved,
    onUnprepared: statementsUnprepared,
  }) as const;

/** Says once for all workers what the operator of the database should know. */
async function inspect(database: Database, events: Events): Promise<void> {
  const facts = await database.inspect();
  if (facts !== null) events.serverInspected(facts);
}

/** Once for all workers. */
const setUp = (database: Database, events: Events, { init }: LoadedConfig["config"]): Promise<void> =>
  setUpPeople({
    signIn: createPasswordSignInOn({ database, events, clock: systemClock }),
    init,
    events,
    write: (text) => void process.stderr.write(text),
  });

async function requireCurrent(database: Database, options: ServeOptions): Promise<void> {
  const folder = schemaFolder();
  if (options.migrate && cluster.isPrimary) await migrate(database, { folder, program: buildName(buildInfo()) });
  const { pending, newer } = await readSchemaState(database, { folder });
  requireServing(newer);
  if (newer !== null && cluster.isPrimary) process.stderr.write(`${newerThanThis(newer)}\n`);
  if (pending.length === 0) return;
  await database.close();
  throw new CommandError(
    `the database lacks ${pending.join(", ")}. Run \`tollgate migrate\` first, or start with --migrate.`,
  );
}

function workerCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST_WORKERS)
    throw new InvalidArgumentError(`It must be a whole number, 1 to ${MOST_WORKERS}.`);
  return value;
}
