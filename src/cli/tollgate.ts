import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { addNotes } from "./command-notes.ts";
import { mindOutput } from "./mind-output.ts";
import { screenOf } from "./text/screen.ts";
import { buildInfo, buildName } from "../config/build-info.ts";
import { reportFailure } from "./report-failure.ts";

type AddCommand = (program: Command) => void;

/**
 * What is behind each first word. Only the command that was asked for is loaded, which is most of the time that a small one
 * takes: the whole gateway is behind `dev` and `serve`.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  dev: async () => (await import("./commands/run/dev.ts")).addDevCommand,
  serve: async () => (await import("./commands/run/serve.ts")).addServeCommand,
  migrate: async () => (await import("./commands/run/migrate.ts")).addMigrateCommand,
  keys: async () => (await import("./commands/keys/keys.ts")).addKeyCommands,
  accounts: async () => (await import("./commands/accounts/accounts.ts")).addAccountCommands,
  whoami: async () => (await import("./commands/people/whoami.ts")).addWhoamiCommand,
  people: async () => (await import("./commands/people/people.ts")).addPeopleCommands,
  tokens: async () => (await import("./commands/people/tokens.ts")).addTokenCommands,
  sessions: async () => (await import("./commands/people/sessions.ts")).addSessionCommands,
  clients: async () => (await import("./commands/people/client-sessions.ts")).addClientSessionCommands,
  topup: async () => (await import("./commands/accounts/funds.ts")).addFundsCommands,
  budget: async () => (await import("./commands/accounts/funds.ts")).addFundsCommands,
  usage: async () => (await import("./commands/accounts/usage.ts")).addUsageCommand,
  notices: async () => (await import("./commands/notices.ts")).addNoticeCommands,
  audit: async () => (await import("./commands/audit.ts")).addAuditCommands,
  ledger: async () => (await import("./commands/ledger/ledger.ts")).addLedgerCommands,
  margins: async () => (await import("./commands/ledger/margins.ts")).addMarginsCommand,
  reconcile: async () => (await import("./commands/ledger/reconcile.ts")).addReconcileCommand,
  catalogue: async () => (await import("./commands/catalogue/catalogue.ts")).addCatalogueCommands,
  providers: async () => (await import("./commands/catalogue/providers.ts")).addProviderCommands,
  models: async () => (await import("./commands/catalogue/models.ts")).addModelCommands,
  costs: async () => (await import("./commands/catalogue/costs.ts")).addCostCommands,
  doctor: async () => (await import("./commands/run/doctor.ts")).addDoctorCommand,
  config: async () => (await import("./commands/run/config.ts")).addConfigCommands,
  import: async () => (await import("./commands/catalogue/import.ts")).addImportCommands,
  connect: async () => (await import("./commands/connect.ts")).addConnectCommand,
  login: async () => (await import("./commands/people/login.ts")).addLoginCommands,
  token: async () => (await import("./commands/people/login.ts")).addLoginCommands,
  logout: async () => (await import("./commands/people/login.ts")).addLoginCommands,
  live: async () => (await import("./commands/requests/live.ts")).addLiveCommand,
  requests: async () => (await import("./commands/requests/requests.ts")).addRequestCommands,
  series: async () => (await import("./commands/requests/series.ts")).addSeriesCommand,
  tail: async () => (await import("./commands/requests/tail.ts")).addTailCommand,
  logs: async () => (await import("./commands/requests/logs.ts")).addLogsCommand,
  simulate: async () => (await import("./commands/run/simulate.ts")).addSimulateCommand,
  completion: async () => (await import("./commands/run/completion.ts")).addCompletionCommand,
};

/** Words whose command reads the definitions of all others. */
const READS_ALL: ReadonlySet<string> = new Set(["completion"]);

const OK = 0;
const FAILED = 1;
const USAGE = 2;

/** The commands behind one first word; behind an unknown or no word, all of them. */
export async function createProgram(word: string): Promise<Command> {
  const program = new Command("tollgate")
    .description("The model gateway with a hard money cap, on one PostgreSQL.")
    .version(buildName(buildInfo()), "-V, --version", "print the version and the commit")
    .helpOption("-h, --help", "print help")
    .option("--config <file>", "settings file (default: tollgate.yaml, if it exists)")
    .configureHelp({ showGlobalOptions: true, styleTitle: bold })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, colourError)) })
    .exitOverride()
    .showHelpAfterError("(run with --help for usage)")
    .showSuggestionAfterError();
  for (const add of await loadCommands(word)) add(program);
  addNotes(program);
  return program;
}

/** Runs one command. Exit codes: 0 done, 1 failed, 2 the command line was not understood. */
export async function runTollgate(argv: readonly string[]): Promise<void> {
  mindOutput();
  const program = await createProgram(argv[2] ?? "");
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? OK : USAGE;
      return;
    }
    reportFailure(error, argv.includes("--json"));
    process.exitCode = FAILED;
  }
}

/** Of help; Commander takes colour out where there is no terminal. */
const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const colourError = (word: string): string => screenOf(process.stderr).paint("bad", word);

/** The one command that was named, or all: to list them, or to guess which was meant. */
async function loadCommands(word: string): Promise<Iterable<AddCommand>> {
  const named = Object.hasOwn(COMMANDS, word) && !READS_ALL.has(word) ? COMMANDS[word] : undefined;
  return new Set(await Promise.all((named ? [named] : Object.values(COMMANDS)).map((load) => load())));
}
