import { type Command, Option } from "commander";
import { BUDGET_PERIODS, type BudgetPeriod } from "../../core/budget-period.ts";
import { KEY_MODES, type KeyMode } from "../../core/key-mode.ts";
import { countUpTo, creditAmount, isoDate, keyId, keyName, positiveInteger, tokenCount } from "../arguments.ts";
import { keyDetails, keyListing, openingAdvice } from "../text/key-text.ts";
import { withControl } from "../open-control.ts";
import { printResult } from "../text/print.ts";
import { addKeyChangeCommands } from "./change-keys.ts";

type CreateOptions = {
  mode: KeyMode;
  credit?: string;
  budget?: number;
  period?: BudgetPeriod;
  label?: string;
  provider: string;
  model?: string[];
  rpm?: number;
  expires?: string;
  json?: true;
};

/** `tollgate keys …`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("make, show and change API keys");
  addCreateCommand(keys);

  keys
    .command("list")
    .description("list keys, newest first")
    .option("--limit <number>", "how many at most, up to 1000", countUpTo(1_000), 100)
    .option("--after <id>", "go on after this key", keyId)
    .option("--json", "print JSON")
    .action(async (options: { limit: number; after?: string; json?: true }, command: Command) => {
      const { limit, after } = options;
      await withControl(command, async (control) => {
        const rows = await control.keys.list({ limit, ...(after === undefined ? {} : { after }) });
        printResult({ data: rows }, { json: options.json === true, text: () => keyListing(rows, options) });
      });
    });

  keys
    .command("show")
    .argument("<key>", "id or prefix", keyName)
    .description("show a key: state, limits, money, secrets")
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const shown = await control.keys.show(name);
        const account = await control.funds.show(shown.key.id);
        printResult({ ...shown, account }, { json: options.json === true, text: () => keyDetails(shown, account) });
      });
    });

  addKeyChangeCommands(keys);
}

function addCreateCommand(keys: Command): void {
  keys
    .command("create")
    .description("make a key; its secret is printed once and kept nowhere")
    .addOption(new Option("--mode <mode>", "how the key pays").choices(KEY_MODES).default("credit"))
    .option("--credit <amount>", "credit to start with, such as 25 or 0.50 (mode credit)", creditAmount)
    .option("--budget <tokens>", "tokens it may use per period (mode token_budget)", tokenCount)
    .addOption(new Option("--period <period>", "when the budget begins anew (default month)").choices(BUDGET_PERIODS))
    .option("--label <text>", "a name for people")
    .option("--provider <name>", "restrict the key to one provider", "all")
    .option("--model <id...>", "restrict the key to these models")
    .option("--rpm <number>", "requests per minute", positiveInteger)
    .option("--expires <date>", "when the key stops working, such as 2027-01-31T00:00:00Z", isoDate)
    .option("--json", "print JSON")
    .action(async (options: CreateOptions, command: Command) => {
      await withControl(command, async (control) => {
        const made = await control.keys.create({
          mode: options.mode,
          label: options.label ?? null,
          provider_scope: options.provider,
          models: options.model ?? null,
          rpm_limit: options.rpm ?? null,
          expires_at: options.expires ?? null,
          credit: options.credit ?? null,
          budget: options.budget ?? null,
          period: options.period ?? null,
        });
        // The key is made and its secret is nowhere but here, so what is only advice must not keep it from being printed.
        const account = await control.funds.show(made.key.id).catch(() => null);
        if (!options.json) process.stderr.write(openingAdvice(made.key, account));
        printResult({ ...made, account }, { json: options.json === true, text: () => made.secret });
      });
    });
}
