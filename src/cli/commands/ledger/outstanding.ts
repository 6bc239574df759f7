import { type Command, InvalidArgumentError } from "commander";
import { outstanding as outstandingSchema } from "../../../contract/books.ts";
import { movedPurse } from "../../../contract/closed-purses.ts";
import { written } from "../../../wire/validate.ts";
import { keyName } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { movedPurseText, outstandingText } from "../../text/ledger/outstanding-text.ts";
import { printResult } from "../../text/print.ts";

type MoveOptions = { toKey?: string; toAccount?: string; json?: true };

/** `tollgate ledger outstanding | move`. */
export function addOutstandingCommands(ledger: Command): void {
  ledger
    .command("outstanding")
    .description("show how much prepaid credit is not spent yet, in all purses together, and what closed purses have")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withOperator(command, async ({ books }, by) => {
        const outstanding = written(outstandingSchema, await books.showOutstanding(by));
        printResult(outstanding, {
          json: options.json === true,
          text: (screen) => outstandingText(outstanding, screen),
        });
      });
    });

  ledger
    .command("move")
    .argument("<purse>", "number of a closed purse, as `tollgate ledger outstanding` lists it", purseNumber)
    .description("move what a closed purse has to the purse that pays for its key or account now")
    .option("--to-key <key>", "move it to the purse that pays for this key, by id or prefix", keyName)
    .option("--to-account <account>", "move it to the purse that pays for this account, by id or names: Acme/Search")
    .option("--json", "print JSON")
    .action(async (purse: number, { toKey, toAccount, json }: MoveOptions, command: Command) => {
      if (toKey !== undefined && toAccount !== undefined)
        command.error("error: give --to-key or --to-account, not both");
      const to = toKey !== undefined ? { kind: "key" as const, name: toKey } : accountOf(toAccount);
      await withOperator(command, async ({ closedPurses }, by) => {
        const moved = written(movedPurse, await closedPurses.move(purse, to, by));
        printResult(moved, { json: json === true, text: () => movedPurseText(moved) });
      });
    });
}

const accountOf = (name: string | undefined) => (name === undefined ? null : { kind: "account" as const, name });

function purseNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("It is a number, such as 42.");
  return Number(text);
}
