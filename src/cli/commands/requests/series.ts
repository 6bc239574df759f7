import { type Command, Option } from "commander";
import { SERIES_GROUPS, type SeriesGroup } from "../../../core/request/series.ts";
import {
  SERIES_STEPS,
  series as seriesSchema,
  seriesCsv,
  type SeriesStep,
  STEP_NAMES,
} from "../../../contract/series.ts";
import { written } from "../../../wire/validate.ts";
import { countUpTo, isoDate, keyName } from "../../arguments.ts";
import { holderOf } from "../../holder-option.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult, printText } from "../../text/print.ts";
import { seriesText } from "../../text/requests/series-text.ts";

type Options = {
  account?: string;
  model?: string;
  provider?: string;
  from?: string;
  to?: string;
  step?: SeriesStep;
  by?: SeriesGroup;
  top: number;
  csv?: true;
  json?: true;
};

/** `tollgate series [KEY]`. */
export function addSeriesCommand(program: Command): void {
  program
    .command("series")
    .argument("[key]", "id or prefix; without one, all keys", keyName)
    .description("show spend, requests, errors and times over time")
    .option("--account <account>", "all keys below an account, by id or names: Acme/Search")
    .option("--model <model>", "only requests of this model")
    .option("--provider <provider>", "only requests that asked this provider last")
    .option("--from <time>", "beginning, such as 2026-11-01; a day before the end unless given", isoDate)
    .option("--to <time>", "end; now unless given", isoDate)
    .addOption(new Option("--step <step>", "length of a step; as fits the range unless given").choices(STEP_NAMES))
    .addOption(new Option("--by <group>", "divide by").choices(SERIES_GROUPS))
    .option("--top <number>", "how many groups are told apart", countUpTo(50), 10)
    .addOption(new Option("--csv", "print the steps as CSV").conflicts("json"))
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const of = holderOf(name, options.account, command);
      await withOperator(command, async (operator, by) => {
        const asked = {
          of,
          model: options.model ?? null,
          provider: options.provider ?? null,
          fromMs: options.from === undefined ? null : Date.parse(options.from),
          toMs: options.to === undefined ? null : Date.parse(options.to),
          stepMinutes: options.step === undefined ? null : SERIES_STEPS[options.step],
          by: options.by ?? null,
          top: options.top,
        };
        const series = written(seriesSchema, await operator.series.report(asked, by));
        if (options.csv) return printText(seriesCsv(series));
        printResult(series, { json: options.json === true, text: (screen) => seriesText(series, screen) });
      });
    });
}
