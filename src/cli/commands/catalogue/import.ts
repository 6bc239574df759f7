import { writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readLitellmConfig } from "../../../config/litellm/read-config.ts";
import { readExactJson } from "../../../config/price-list/read-exact-json.ts";
import { parseFactor } from "../../../config/price-list/read-price-list.ts";
import { readTextFile } from "../../../config/read/read-text-file.ts";
import type { Decimal } from "../../../core/money/decimal.ts";
import { invariant } from "../../../core/invariant.ts";
import { loadSettings } from "../../open-database.ts";
import { withOperator } from "../../open-operator.ts";
import { PRESETS } from "../../../core/catalogue/provider-presets.ts";
import { CommandError } from "../../report-failure.ts";
import { type LitellmReport, litellmText, litellmView } from "../../text/catalogue/litellm-text.ts";
import { printResult } from "../../text/print.ts";

type Options = { prices?: string; markup: Decimal; write?: string; apply?: true; json?: true };

const FILE_BYTES = 4 * 1024 * 1024;
const PRICES_BYTES = 32 * 1024 * 1024;

/** `tollgate import`: what another gateway was told, as a catalogue. */
export function addImportCommands(program: Command): void {
  const imports = program.command("import").description("take over the configuration of another gateway");
  imports
    .command("litellm")
    .argument("<file>", "configuration of the LiteLLM proxy, a YAML file")
    .description("read a LiteLLM configuration as a catalogue; lists what does not carry over, with its line")
    .option("--prices <file>", "LiteLLM's price list, for prices and limits that the configuration does not have")
    .addOption(
      new Option("--markup <factor>", "factor to multiply prices by").argParser(factor).default(factor("1"), "1"),
    )
    .option("--write <file>", "write a catalogue file, for `tollgate catalogue apply`")
    .option("--apply", "write the changes to the catalogue; without it, only show them")
    .option("--json", "print JSON")
    .action(async (file: string, options: Options, command: Command) => {
      const { config } = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const creditUsd = parseFactor(config.creditUsd);
      invariant(creditUsd, "a credit is worth something");
      const prices =
        options.prices === undefined ? {} : readExactJson(readTextFile(options.prices, PRICES_BYTES), options.prices);
      const exchange = { markup: options.markup, creditUsd };
      const read = readLitellmConfig(readTextFile(file, FILE_BYTES), {
        path: file,
        presets: PRESETS,
        exchange,
        prices,
      });
      const report: LitellmReport = { ...read, written: options.write ?? null, changes: null };
      if (options.write !== undefined) writeCatalogue(options.write, file, read.text);
      if (options.apply) {
        await withOperator(command, async ({ catalogue }, by) => {
          report.changes = await catalogue.apply(read.catalogue, by);
        });
      }
      printResult(litellmView(report), { json: options.json === true, text: (screen) => litellmText(report, screen) });
    });
}

function writeCatalogue(path: string, from: string, text: string): void {
  try {
    writeFileSync(path, `# From ${from}, by \`tollgate import litellm\`.\n${text}`, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new CommandError(`${path} exists. Name another file, or remove it.`);
  }
}

function factor(text: string): Decimal {
  const value = parseFactor(text);
  if (value === null)
    throw new InvalidArgumentError("It must be a decimal above zero such as 1.2, with at most nine decimal places.");
  return value;
}
