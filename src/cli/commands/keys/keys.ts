import { type Command, Option } from "commander";
import { BUDGET_PERIODS, type BudgetPeriod } from "../../../core/money/budget-period.ts";
import { KEY_MODES, type KeyMode } from "../../../core/people/key-mode.ts";
import { keyFunds } from "../../../contract/funds.ts";
import { createdKey, keyPage, keyWithSecrets } from "../../../contract/keys.ts";
import { written } from "../../../wire/validate.ts";
import {
  accountName,
  creditAmount,
  isoDate,
  keyName,
  positiveInteger,
  regionNames,
  REGIONS_HELP,
  tierNames,
  TIERS_HELP,
  tokenCount,
} from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addSearchOptions, readPages, type SearchOptions } from "../../page-options.ts";
import { keyDetails, keyListing, openingAdvice } from "../../text/keys/key-text.ts";
import { printResult } from "../../text/print.ts";
import { readCredential } from "../../input/read-credential.ts";
import { addKeyChangeCommands } from "./change-keys.ts";
import { addKeyPlaceCommands } from "./place-keys.ts";
import { addKeyImportCommand } from "./import-keys.ts";

type CreateOptions = {
  mode: KeyMode;
  credit?: bigint;
  budget?: number;
  period?: BudgetPeriod;
  account?: string;
  label?: string;
  provider: string;
  model?: string[];
  tiers?: string[] | null;
  regions?: string[] | null;
  rpm?: number;
  expires?: string;
  existingSecretStdin?: true;
  json?: true;
};

/** `tollgate keys …`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("create, list, show and change API keys");
  addCreateCommand(keys);

  addSearchOptions(
    keys.command("list").description("list keys, newest first"),
    "only keys with this text in their label, prefix, id or the name of their account",
  )
    .option("--json", "print JSON")
    .action(async (options: SearchOptions & { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const page = written(keyPage, await readPages(options, operator.keys.list));
        printResult(page, { json: options.json === true, text: (screen) => keyListing(page, options, screen) });
      });
    });

  keys
    .command("show")
    .argument("<key>", "id or prefix", keyName)
    .description("show one key: status, limits, balance and secrets")
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const shown = written(keyWithSecrets, await operator.keys.show(name));
        const funds = written(keyFunds, await operator.funds.show(shown.key.id));
        printResult(
          { ...shown, funds },
          { json: options.json === true, text: (screen) => keyDetails(shown, funds, screen) },
        );
      });
    });

  addKeyChangeCommands(keys);
  addKeyPlaceCommands(keys);
  addKeyImportCommand(keys);
}

function addCreateCommand(keys: Command): void {
  keys
    .command("create")
    .description("create a key and print its secret, which is never shown again")
    .addOption(
      new Option("--mode <mode>", "what the key spends: credits or a token budget")
        .choices(KEY_MODES)
        .default("credit"),
    )
    .option("--account <account>", "the account it belongs to: id, or names such as Acme/Search/Ann", accountName)
    .option("--credit <amount>", "initial credit, such as 25 or 0.50 (mode credit)", creditAmount)
    .option("--budget <tokens>", "tokens the key may use per period (mode token_budget)", tokenCount)
    .addOption(new Option("--period <period>", "how often the budget renews (default: month)").choices(BUDGET_PERIODS))
    .option("--label <text>", "a label to recognise the key by")
    .option("--provider <name>", "restrict the key to one provider", "all")
    .option("--model <id...>", "restrict the key to these models")
    .option("--tiers <all|none|names>", TIERS_HELP, tierNames)
    .option("--regions <all|names>", REGIONS_HELP, regionNames)
    .option("--rpm <number>", "limit of requests per minute", positiveInteger)
    .option("--expires <date>", "expiry date, such as 2027-01-31 or 2027-01-31T18:00:00Z", isoDate)
    .option(
      "--existing-secret-stdin",
      "keep a secret of another product, read from standard input; only its digest is stored",
    )
    .option("--json", "print JSON")
    .action(async (options: CreateOptions, command: Command) => {
      const existing = options.existingSecretStdin
        ? { secret: await readCredential(process.stdin, "--existing-secret-stdin") }
        : null;
      await withOperator(command, async (operator, by) => {
        const order = {
          mode: options.mode,
          account: options.account ?? null,
          label: options.label ?? null,
          providerScope: options.provider,
          models: options.model ?? null,
          tiers: options.tiers ?? null,
          regions: options.regions ?? null,
          rpmLimit: options.rpm ?? null,
          expiresAtMs: options.expires === undefined ? null : Date.parse(options.expires),
          credit: options.credit ?? null,
          budget: options.budget === undefined ? null : BigInt(options.budget),
          period: options.period ?? null,
          existing,
        };
        const { key, secret } = written(createdKey, await operator.keys.create(order, by));
        // The key is made and its secret is nowhere but here, so what is only advice must not keep it from being printed.
        const funds = await operator.funds.show(key.id).then(
          (found) => written(keyFunds, found),
          () => null,
        );
        const advice = openingAdvice(key, funds, secret === null ? "kept" : "made");
        if (!options.json) process.stderr.write(advice);
        printResult({ key, secret, funds }, { json: options.json === true, text: () => secret ?? "" });
      });
    });
}
