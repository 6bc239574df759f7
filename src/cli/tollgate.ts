import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addCatalogueCommands } from "./commands/catalogue.ts";
import { addConfigCommands } from "./commands/config.ts";
import { addDevCommand } from "./commands/dev.ts";
import { addFundsCommands } from "./commands/funds.ts";
import { addKeyCommands } from "./commands/keys.ts";
import { addLedgerCommands } from "./commands/ledger.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addSimulateCommand } from "./commands/simulate.ts";
import { addUsageCommand } from "./commands/usage.ts";
import { reportFailure } from "./report-failure.ts";

const OK = 0;
const FAILED = 1;
const USAGE = 2;

/** Runs one command. Exit codes: 0 done, 1 failed, 2 the command line was not understood. */
export async function runTollgate(argv: readonly string[]): Promise<void> {
  const program = new Command("tollgate")
    .description("The model gateway with a hard money cap, on one PostgreSQL.")
    .version(packageVersion())
    .option("--config <file>", "settings file (default: tollgate.yaml, if there is one)")
    .exitOverride()
    .showHelpAfterError("(run with --help for what is possible)")
    .showSuggestionAfterError();
  addDevCommand(program);
  addServeCommand(program);
  addMigrateCommand(program);
  addKeyCommands(program);
  addFundsCommands(program);
  addUsageCommand(program);
  addLedgerCommands(program);
  addCatalogueCommands(program);
  addConfigCommands(program);
  addSimulateCommand(program);

  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? OK : USAGE;
      return;
    }
    reportFailure(error, argv.includes("--json"));
    // Whatever the command had opened before it failed must not keep the process: a busy port, with a database already open.
    process.exit(FAILED);
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
