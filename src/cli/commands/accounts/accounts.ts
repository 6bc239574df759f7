import { randomUUID } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ACCOUNT_CHANGES, type AccountChange } from "../../../core/people/account-change.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { TOP_UP_KINDS, type TopUpKind } from "../../../core/money/top-up-kind.ts";
import {
  account as accountSchema,
  accountFunded,
  accountPage,
  accountStatus,
  accountTree,
} from "../../../contract/accounts.ts";
import { written } from "../../../wire/validate.ts";
import { accountName, creditAmount, regionNames, tierNames } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addSearchOptions, readPages, type SearchOptions } from "../../page-options.ts";
import { accountFundedText, accountListing, accountTreeText } from "../../text/accounts/account-text.ts";
import { printable } from "../../text/cell.ts";
import { regionsOf, tiersOf } from "../../text/keys/key-text.ts";
import { printResult } from "../../text/print.ts";
import { booked, REFERENCE_HELP } from "./funds.ts";
import { addAccountImportCommand } from "./import-accounts.ts";
import { addLimitOptions, applyLimit, type LimitOptions } from "./limit-options.ts";
import { addStatementCommand } from "./statement.ts";

const ACCOUNT_HELP = "id, or the names from the root down, such as Acme/Search";
const STATUS_COMMANDS: Record<AccountChange, string> = {
  suspend: "suspend an account and all below it; requests get 401 until you resume it",
  resume: "reactivate a suspended account",
  disable: "disable an account and all below it; requests get 403 key_disabled until you enable it",
  enable: "reactivate a disabled account",
};

/** `tollgate accounts …`. */
export function addAccountCommands(program: Command): void {
  const accounts = program
    .command("accounts")
    .description("organisations, teams and people: what they have paid and what they may spend");
  addCreateCommand(accounts);
  addReadCommands(accounts);
  addMoveCommand(accounts);
  for (const change of ACCOUNT_CHANGES) addStatusCommand(accounts, change);
  addTiersCommand(accounts);
  addRegionsCommand(accounts);
  addCloseCommands(accounts);
  addMoneyCommands(accounts);
  addAccountImportCommand(accounts);
  addStatementCommand(accounts);
}

function addCreateCommand(accounts: Command): void {
  accounts
    .command("create")
    .argument("<account>", "the names from the root down; all but the last must exist", accountName)
    .description("create an account")
    .option("--kind <word>", "what it is: organisation, team, person, project, customer", "account")
    .option("--json", "print JSON")
    .action(async (path: string, options: { kind: string; json?: true }, command: Command) => {
      const names = path.split("/");
      const order = { name: names.at(-1) ?? "", parent: names.length > 1 ? names.slice(0, -1).join("/") : null };
      await withOperator(command, async (operator, by) => {
        const account = written(accountSchema, await operator.accounts.create({ ...order, kind: options.kind }, by));
        printResult(
          { account },
          { json: options.json === true, text: () => `Created account ${printable(account.path)} (${account.id}).` },
        );
      });
    });
}

function addReadCommands(accounts: Command): void {
  addSearchOptions(
    accounts.command("list").description("list accounts with what each has and may spend"),
    "only accounts with this text in their name",
  )
    .option("--json", "print JSON")
    .action(async (options: SearchOptions & { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const page = written(accountPage, await readPages(options, operator.accounts.list));
        printResult(page, { json: options.json === true, text: (screen) => accountListing(page, options, screen) });
      });
    });

  accounts
    .command("show")
    .argument("<account>", ACCOUNT_HELP, accountName)
    .description("show an account as a tree: every purse, limit and key below it")
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const tree = written(accountTree, await operator.accounts.show(name));
        printResult(tree, { json: options.json === true, text: (screen) => accountTreeText(tree, screen) });
      });
    });
}

function addMoveCommand(accounts: Command): void {
  accounts
    .command("move")
    .argument("<account>", ACCOUNT_HELP, accountName)
    .description("put an account, with all below it, under another, or rename it")
    .option("--to <account>", "the account to put it under", accountName)
    .option("--name <name>", "its new name")
    .option("--json", "print JSON")
    .action(async (name: string, options: { to?: string; name?: string; json?: true }, command: Command) => {
      if (options.to === undefined && options.name === undefined)
        throw new InvalidArgumentError("Give --to, --name or both.");
      await withOperator(command, async (operator, by) => {
        const change = {
          ...(options.to !== undefined && { parent: options.to }),
          ...(options.name !== undefined && { name: options.name }),
        };
        const account = written(accountSchema, await operator.accounts.update(name, change, by));
        printResult(
          { account },
          { json: options.json === true, text: () => `The account is now ${printable(account.path)}.` },
        );
      });
    });
}

function addStatusCommand(accounts: Command, change: AccountChange): void {
  accounts
    .command(change)
    .argument("<account>", ACCOUNT_HELP, accountName)
    .description(STATUS_COMMANDS[change])
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { account, changed } = written(accountStatus, await operator.accounts.changeStatus(name, change, by));
        const text = `${printable(account.path)} ${changed ? "is now" : "was already"} ${account.status}.`;
        printResult({ account, changed }, { json: options.json === true, text: () => text });
      });
    });
}

function addTiersCommand(accounts: Command): void {
  accounts
    .command("tiers")
    .argument("<account>", ACCOUNT_HELP, accountName)
    .argument("<tiers>", "`all` that are sold, `none`, or names with commas, such as flex,priority", tierNames)
    .description("limit the service tiers that the keys of an account, and all below it, may ask for")
    .option("--json", "print JSON")
    .action(async (name: string, tiers: string[] | null, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { account, changed } = written(accountStatus, await operator.accounts.setTiers(name, tiers, by));
        const text = `Tiers of ${printable(account.path)}${changed ? "" : " were already"}: ${tiersOf(account.tiers)}.`;
        printResult({ account, changed }, { json: options.json === true, text: () => text });
      });
    });
}

function addRegionsCommand(accounts: Command): void {
  accounts
    .command("regions")
    .argument("<account>", ACCOUNT_HELP, accountName)
    .argument("<regions>", "`all`, or names with commas, such as eu,ch", regionNames)
    .description("limit the regions that requests of the keys of an account, and all below it, may run in")
    .option("--json", "print JSON")
    .action(async (name: string, regions: string[] | null, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { account, changed } = written(accountStatus, await operator.accounts.setRegions(name, regions, by));
        const text = `Regions of ${printable(account.path)}${changed ? "" : " were already"}: ${regionsOf(account.regions)}.`;
        printResult({ account, changed }, { json: options.json === true, text: () => text });
      });
    });
}

function addCloseCommands(accounts: Command): void {
  const commands = {
    close: "close an account and all below it permanently; needs empty purses and no requests in progress",
    "close-purse": "close the empty purse of an account, so that another account on the path can pay",
  } as const;
  for (const word of ["close", "close-purse"] as const) {
    accounts
      .command(word)
      .argument("<account>", ACCOUNT_HELP, accountName)
      .description(commands[word])
      .option("--json", "print JSON")
      .action(async (name: string, options: { json?: true }, command: Command) => {
        await withOperator(command, async (operator, by) => {
          const close = word === "close" ? operator.accounts.close : operator.accounts.closePurse;
          const { account, changed } = written(accountStatus, await close(name, by));
          const what = word === "close" ? printable(account.path) : `The purse of ${printable(account.path)}`;
          const text = changed
            ? `${what} is closed.`
            : word === "close"
              ? `${what} was already closed.`
              : `${printable(account.path)} has no purse.`;
          printResult({ account, changed }, { json: options.json === true, text: () => text });
        });
      });
  }
}

type TopUpOptions = { ref?: string; kind: TopUpKind; json?: true };

function addMoneyCommands(accounts: Command): void {
  accounts
    .command("topup")
    .argument("<account>", ACCOUNT_HELP, accountName)
    .argument("<amount>", "credits, such as 500 or 0.50; negative only with --kind adjust", creditAmount)
    .description("add credit to the purse of an account, once per reference; the first top-up opens the purse")
    .addOption(
      new Option("--kind <kind>", "purchase (paid for), grant (free of charge), adjust (a correction)")
        .choices(TOP_UP_KINDS)
        .default("purchase"),
    )
    .option("--ref <name>", REFERENCE_HELP)
    .option("--json", "print JSON")
    .action(async (name: string, amount: bigint, options: TopUpOptions, command: Command) => {
      const reference = options.ref ?? `topup:${randomUUID()}`;
      await withOperator(command, async (operator, by) => {
        const order = { amount, kind: options.kind, reference };
        const funded = written(accountFunded, await booked(operator.accounts.topUp(name, order, by), reference));
        printResult(funded, {
          json: options.json === true,
          text: () => accountFundedText(funded, formatCredits(amount)),
        });
      });
    });

  addLimitOptions(
    accounts
      .command("limit")
      .argument("<account>", ACCOUNT_HELP, accountName)
      .argument("<amount>", "amount per period, such as 500; `none` removes the limit")
      .description("limit what an account and all below it may spend per period"),
  ).action(async (name: string, amount: string, options: LimitOptions, command: Command) => {
    await withOperator(command, async ({ accounts: all }, by) => {
      await applyLimit(
        { name, amount, options },
        { set: (order) => all.setLimit(name, order, by), remove: (which) => all.removeLimit(name, which, by) },
      );
    });
  });
}
