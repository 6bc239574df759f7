import type { Command } from "commander";
import { buildInfo, buildName } from "../../../config/build-info.ts";
import { type Migrated, migrate, readSchemaState } from "../../../db/schema/migrate.ts";
import { newerThanThis, requireServing } from "../../../db/schema/newer-schema.ts";
import { schemaFolder } from "../../../db/schema-files.ts";
import { loadSettings, openDatabase } from "../../open-database.ts";
import { printResult } from "../../text/print.ts";

type MigrateCommandOptions = { status?: true; servingRole?: string; readingRole?: string; json?: true };

/** `tollgate migrate`: brings the database up to date. Any number of processes may do so at once. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("apply pending migrations to the database, and define functions that have changed")
    .option("--status", "only list what is pending; exit 1 if anything is")
    .option("--serving-role <name>", "grant this role exactly what a gateway needs, now and in later migrations")
    .option(
      "--reading-role <name>",
      "grant this role read access to everything except digests, credentials and stored responses",
    )
    .option("--json", "print JSON")
    .action(async (options: MigrateCommandOptions, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const database = openDatabase(loaded, () => undefined);
      const json = options.json === true;
      try {
        if (options.status) {
          const { pending, newer } = await readSchemaState(database, { folder: schemaFolder() });
          requireServing(newer);
          printResult(
            { pending, newer: newer?.name ?? null },
            { json, text: () => (newer === null ? statusOf(pending) : newerThanThis(newer)) },
          );
          process.exitCode = pending.length === 0 ? 0 : 1;
          return;
        }
        const result: Migrated = await migrate(database, {
          folder: schemaFolder(),
          program: buildName(buildInfo()),
          roles: options,
          onStep: ({ name, elapsedMs }) => process.stderr.write(`Applied ${name} in ${elapsedMs} ms\n`),
        });
        const { newer, ...rest } = result;
        const shown = { ...rest, newer: newer?.name ?? null, serves: newer?.serves ?? true };
        printResult(shown, { json, text: () => wordsOf(result) });
      } finally {
        await database.close();
      }
    });
}

const statusOf = (pending: readonly string[]): string =>
  pending.length === 0 ? "The database is up to date." : `Pending: ${pending.join(", ")}`;

function wordsOf({ functions, current, newer }: Migrated): string {
  if (newer !== null) return newerThanThis(newer);
  const defined = functions.length === 0 ? "" : ` Functions defined or removed: ${functions.length}.`;
  return `The database is at ${current}.${defined}`;
}
