import type { Command } from "commander";
import { accountView } from "../../wire/admin/funds.ts";
import { keyView } from "../../wire/admin/keys.ts";
import { usageReportView } from "../../wire/admin/usage.ts";
import { countUpTo, keyName } from "../arguments.ts";
import { withOperator } from "../open-operator.ts";
import { printResult } from "../text/print.ts";
import { usageText } from "../text/usage-text.ts";

/** `tollgate usage KEY`. */
export function addUsageCommand(program: Command): void {
  program
    .command("usage")
    .argument("<key>", "id or prefix", keyName)
    .description("show the balance of a key and its usage by day and by model")
    .option("--days <number>", "number of days up to today, in UTC", countUpTo(366), 7)
    .option("--json", "print JSON")
    .action(async (name: string, options: { days: number; json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { key } = await operator.keys.show(name);
        const account = await operator.funds.show(key.id);
        const { days, models } = usageReportView(await operator.usage(key.id, options.days));
        const usage = { key: keyView(key), account: accountView(account), days, models };
        printResult(usage, { json: options.json === true, text: (screen) => usageText(usage, screen) });
      });
    });
}
