import { type Command, InvalidArgumentError, Option } from "commander";
import { MONTH, statement as statementSchema } from "../../../contract/usage.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult, printText } from "../../text/print.ts";
import { statementCsv, statementText } from "../../text/accounts/statement-text.ts";

/** `tollgate accounts statement ACCOUNT --month MONTH`. */
export function addStatementCommand(accounts: Command): void {
  accounts
    .command("statement")
    .argument("<account>", "id, or names from the root down: Acme/Search")
    .description("show what an account was paid and what the keys below it used in a month")
    .requiredOption("--month <month>", "month in UTC, such as 2026-11", month)
    .addOption(new Option("--csv", "print CSV").conflicts("json"))
    .option("--json", "print JSON")
    .action(async (name: string, options: { month: string; csv?: true; json?: true }, command: Command) => {
      await withOperator(command, async ({ usage }) => {
        const statement = written(statementSchema, await usage.statement(name, options.month));
        if (options.csv) return printText(statementCsv(statement));
        printResult(statement, { json: options.json === true, text: (screen) => statementText(statement, screen) });
      });
    });
}

function month(text: string): string {
  if (!MONTH.test(text)) throw new InvalidArgumentError("It must be a month, such as 2026-11 (UTC).");
  return text;
}
