import type { Command } from "commander";
import type { By } from "../../../core/people/by.ts";
import type { ManageKeys } from "../../../operator/keys/keys.ts";
import { keyStatus } from "../../../contract/keys.ts";
import { written } from "../../../wire/validate.ts";
import { accountName, keyName } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { printable } from "../../text/cell.ts";
import { keyName as named } from "../../text/keys/key-text.ts";
import { printResult } from "../../text/print.ts";
import { addLimitOptions, applyLimit, type LimitOptions } from "../accounts/limit-options.ts";

const ACCOUNT_HELP = "the account: id, or names such as Acme/Search";

/** `tollgate keys move | adopt | limit`. */
export function addKeyPlaceCommands(keys: Command): void {
  keys
    .command("move")
    .argument("<key>", "id or prefix", keyName)
    .description("move a key to another account of its tree; what it has spent stays where it was charged")
    .requiredOption("--to <account>", ACCOUNT_HELP, accountName)
    .option("--json", "print JSON")
    .action((name: string, { to, json }: { to: string; json?: true }, command: Command) =>
      place(command, { name, account: to, json: json === true }, (manage, by) => manage.move(name, to, by)),
    );

  keys
    .command("adopt")
    .argument("<key>", "id or prefix", keyName)
    .description(
      "take a key that belongs to no account into one; its purse must be empty, and clients keep their secret",
    )
    .requiredOption("--into <account>", ACCOUNT_HELP, accountName)
    .option("--json", "print JSON")
    .action((name: string, { into, json }: { into: string; json?: true }, command: Command) =>
      place(command, { name, account: into, json: json === true }, (manage, by) => manage.adopt(name, into, by)),
    );

  addLimitOptions(
    keys
      .command("limit")
      .argument("<key>", "id or prefix", keyName)
      .argument("<amount>", "amount per period, such as 20; `none` removes the limit")
      .description("limit what a key may spend per period, beside the limits of its accounts"),
  ).action(async (name: string, amount: string, options: LimitOptions, command: Command) => {
    await withOperator(command, async ({ keys: all }, by) => {
      await applyLimit(
        { name, amount, options },
        { set: (order) => all.setLimit(name, order, by), remove: (which) => all.removeLimit(name, which, by) },
      );
    });
  });
}

type Order = { name: string; account: string; json: boolean };
type Put = (keys: ManageKeys, by: By) => ReturnType<ManageKeys["move"]>;

const place = (command: Command, { account, json }: Order, put: Put): Promise<void> =>
  withOperator(command, async ({ keys }, by) => {
    const { key, changed } = written(keyStatus, await put(keys, by));
    const text = `${named(key)} ${changed ? "now belongs" : "already belonged"} to ${printable(account)}.`;
    printResult({ key, changed }, { json, text: () => text });
  });
