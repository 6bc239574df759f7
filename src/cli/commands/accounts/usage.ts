import { type Command, Option } from "commander";
import { USAGE_GROUPS, type UsageGroup } from "../../../core/money/usage-group.ts";
import { keyFunds } from "../../../contract/funds.ts";
import { key as keySchema } from "../../../contract/keys.ts";
import { usageReport } from "../../../contract/usage.ts";
import { written } from "../../../wire/validate.ts";
import { countUpTo, keyName } from "../../arguments.ts";
import { holderOf } from "../../holder-option.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult, printText } from "../../text/print.ts";
import { usageCsv, usageText } from "../../text/accounts/usage-text.ts";

type Options = { account?: string; by: UsageGroup; days: number; csv?: true; json?: true };

/** `tollgate usage [KEY]`. */
export function addUsageCommand(program: Command): void {
  program
    .command("usage")
    .argument("[key]", "id or prefix; without one, all keys", keyName)
    .description("show usage by day and by model, key, label or account")
    .option("--account <account>", "all keys below an account, by id or names: Acme/Search")
    .addOption(new Option("--by <group>", "group by").choices(USAGE_GROUPS).default("model"))
    .option("--days <number>", "number of days up to today, in UTC", countUpTo(366), 7)
    .addOption(new Option("--csv", "print the groups as CSV").conflicts("json"))
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const { by, days } = options;
      const of = holderOf(name, options.account, command);
      await withOperator(command, async (operator) => {
        const report = written(usageReport, await operator.usage.report(of, { days, by }));
        if (options.csv) return printText(usageCsv(report));
        if (report.key === null || name === undefined) {
          printResult(report, { json: options.json === true, text: (screen) => usageText(report, screen) });
          return;
        }
        const { key } = await operator.keys.show(report.key.id);
        const funds = written(keyFunds, await operator.funds.show(report.key.id));
        const usage = { ...report, key: written(keySchema, key), funds };
        const known = { key: usage.key, funds };
        printResult(usage, { json: options.json === true, text: (screen) => usageText(report, screen, known) });
      });
    });
}
