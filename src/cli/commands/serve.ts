import { type Command } from "commander";
import { processEnvironment } from "../../config/process-environment.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { requireSettings } from "../../config/require-settings.ts";
import { createCredentials } from "../../config/secrets.ts";
import { migrate, migrationsFolder, pendingMigrations } from "../../db/migrate.ts";
import { loadSettings, openDatabase } from "../open-database.ts";
import { openTelemetry } from "../open-telemetry.ts";
import { CommandError } from "../report-failure.ts";
import { runGateway } from "../run-gateway.ts";

/** `tollgate serve`: the gateway, on a PostgreSQL. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("run the gateway (settings from tollgate.yaml and the environment)")
    .option("--migrate", "bring the database up to date first")
    .action(async (options: { migrate?: true }, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      requireSettings(loaded, ["database.url", "admin.token"]);
      const telemetry = openTelemetry(loaded.config);
      const database = openDatabase(loaded, telemetry.events.databaseLost);
      const folder = migrationsFolder();
      if (options.migrate) await migrate(database, { folder });
      const pending = await pendingMigrations(database, { folder });
      if (pending.length > 0) {
        await database.close();
        throw new CommandError(
          `the database lacks ${pending.join(", ")}. Run \`tollgate migrate\` first, or start with --migrate.`,
        );
      }
      const credentials = createCredentials({ environment: processEnvironment(), readFile: readTextFile });
      await runGateway(
        {
          config: loaded.config,
          adminToken: loaded.config.admin.token?.reveal() ?? "",
          database,
          credential: (reference) => credentials(reference)?.reveal() ?? null,
          ...telemetry,
        },
        telemetry,
        () => undefined,
      );
    });
}
