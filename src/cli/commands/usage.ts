import type { Command } from "commander";
import { countUpTo, keyName } from "../arguments.ts";
import { withControl } from "../open-control.ts";
import { printResult } from "../text/print.ts";
import { usageText } from "../text/usage-text.ts";

/** `tollgate usage KEY`. */
export function addUsageCommand(program: Command): void {
  program
    .command("usage")
    .argument("<key>", "id or prefix", keyName)
    .description("show what a key has and what it used, by day and by model")
    .option("--days <number>", "how many days, today included, UTC", countUpTo(366), 7)
    .option("--json", "print JSON")
    .action(async (name: string, options: { days: number; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const { key } = await control.keys.show(name);
        const account = await control.funds.show(key.id);
        const { days, models } = await control.reportUsage(key.id, options.days);
        const usage = { key, account, days, models };
        printResult(usage, { json: options.json === true, text: () => usageText(usage) });
      });
    });
}
