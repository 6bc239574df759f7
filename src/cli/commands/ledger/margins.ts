import { type Command, Option } from "commander";
import { MARGIN_GROUPS, type MarginGrouping } from "../../../core/bills/margin-grouping.ts";
import { margins as marginsSchema } from "../../../contract/costs.ts";
import { written } from "../../../wire/validate.ts";
import { utcDay } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { marginsCsv, marginsText } from "../../text/ledger/margin-text.ts";
import { printResult, printText } from "../../text/print.ts";

type Options = { by: MarginGrouping; from?: string; to?: string; csv?: true; json?: true };

/** `tollgate margins`. */
export function addMarginsCommand(program: Command): void {
  program
    .command("margins")
    .description("show what charges brought beyond what they cost you, by model, account, day or provider")
    .addOption(new Option("--by <group>", "group by").choices(MARGIN_GROUPS).default("model"))
    .option("--from <day>", "the first day, in UTC (default: 29 days before the last)", utcDay)
    .option("--to <day>", "the last day, in UTC (default: today); at most 92 days", utcDay)
    .addOption(new Option("--csv", "print the groups as CSV, with exact amounts").conflicts("json"))
    .option("--json", "print JSON, with the costs that were used")
    .action(async ({ by, from, to, csv, json }: Options, command: Command) => {
      await withOperator(command, async (operator) => {
        const report = written(
          marginsSchema,
          await operator.costs.showMargins({ by, from: from ?? null, to: to ?? null }),
        );
        if (csv) return printText(marginsCsv(report));
        printResult(report, { json: json === true, text: (screen) => marginsText(report, screen) });
      });
    });
}
