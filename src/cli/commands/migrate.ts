import type { Command } from "commander";
import { migrate, migrationsFolder, pendingMigrations } from "../../db/migrate.ts";
import { loadSettings, openDatabase } from "../open-database.ts";
import { printResult } from "../text/print.ts";

type MigrateCommandOptions = { status?: true; servingRole?: string; readingRole?: string; json?: true };

/** `tollgate migrate`: brings the database up to date. Any number of processes may do so at once. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("bring the database up to date")
    .option("--status", "only say what is pending; exit 1 when something is")
    .option("--serving-role <name>", "give this role exactly what a gateway needs; later migrations keep it so")
    .option("--reading-role <name>", "let this role read everything but digests, credentials and stored answers")
    .option("--json", "print JSON")
    .action(async (options: MigrateCommandOptions, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const database = openDatabase(loaded, () => undefined);
      const json = options.json === true;
      try {
        if (options.status) {
          const pending = await pendingMigrations(database, { folder: migrationsFolder() });
          printResult(
            { pending },
            { json, text: () => (pending.length === 0 ? "up to date" : `pending: ${pending.join(", ")}`) },
          );
          process.exitCode = pending.length === 0 ? 0 : 1;
          return;
        }
        const result = await migrate(database, {
          folder: migrationsFolder(),
          roles: options,
          onStep: ({ name, elapsedMs }) => process.stderr.write(`applied ${name} in ${elapsedMs} ms\n`),
        });
        printResult(result, { json, text: () => `the database is at ${result.current}` });
      } finally {
        await database.close();
      }
    });
}
