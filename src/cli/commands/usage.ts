import { type Command, InvalidArgumentError } from "commander";
import { keyName, positiveInteger } from "../arguments.ts";
import { withControl } from "../open-control.ts";
import { printResult } from "../print.ts";
import { usageText } from "../usage-text.ts";

const MOST_DAYS = 366;

/** `tollgate usage KEY`. */
export function addUsageCommand(program: Command): void {
  program
    .command("usage")
    .argument("<key>", "id or prefix", keyName)
    .description("show what a key has and what it used, by day and by model")
    .option("--days <number>", "how many days, today included, UTC", dayCount, 7)
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

function dayCount(text: string): number {
  const days = positiveInteger(text);
  if (days > MOST_DAYS) throw new InvalidArgumentError(`It must be at most ${MOST_DAYS}.`);
  return days;
}
