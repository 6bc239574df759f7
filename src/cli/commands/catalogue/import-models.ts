import { type Command, InvalidArgumentError, Option } from "commander";
import { litellmVendors, parseFactor, readLitellm } from "../../../config/price-list/read-litellm.ts";
import { readTextFile } from "../../../config/read/read-text-file.ts";
import { didYouMean, suggest } from "../../../core/text/suggest.ts";
import type { Decimal } from "../../../core/money/decimal.ts";
import { invariant } from "../../../core/invariant.ts";
import { importText, importView } from "../../text/catalogue/import-text.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { CommandError } from "../../report-failure.ts";

type ImportOptions = {
  provider: string;
  vendor?: string;
  match: string;
  markup: Decimal;
  free?: true;
  dearest?: true;
  publish?: true;
  apply?: true;
  json?: true;
};

const FILE_BYTES = 32 * 1024 * 1024;

/** `tollgate models import`: shows what a price list would change, and changes it when told to. */
export function addModelImportCommand(models: Command): void {
  models
    .command("import")
    .argument("<file>", "price list, a JSON file")
    .description("compare a price list with the catalogue; --apply writes the changes")
    .addOption(new Option("--from <format>", "format of the list").choices(["litellm"]).makeOptionMandatory())
    .requiredOption("--provider <name>", "provider in the catalogue that serves these models")
    .option("--vendor <pattern>", "vendor name in the list (default: the name of the provider)")
    .option("--match <pattern>", "only ids that match this pattern; * matches any characters", "*")
    .addOption(
      new Option("--markup <factor>", "factor to multiply prices by").argParser(markup).default(markup("1"), "1"),
    )
    .option("--free", "include models priced at 0")
    .option("--dearest", "include models with several token prices, at the highest")
    .option("--publish", "publish new models immediately (default: unpublished)")
    .option("--apply", "write the changes; without it, only show them")
    .option("--json", "print JSON")
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const text = readTextFile(file, FILE_BYTES);
      if (!/^\s*\{/.test(text))
        throw new CommandError(`${file} is not a JSON object. Save the list itself, not the web page that shows it.`);
      await withOperator(command, async ({ catalogue }, by, { config }) => {
        const creditUsd = parseFactor(config.creditUsd);
        invariant(creditUsd, "a credit is worth something");
        const vendor = options.vendor ?? options.provider;
        const list = readLitellm(text, file, {
          vendor,
          match: options.match,
          exchange: { markup: options.markup, creditUsd },
          carry: { free: options.free === true, dearest: options.dearest === true },
        });
        if (list.models.length === 0) requireVendor(vendor, litellmVendors(text, file));
        const order = {
          provider: options.provider,
          publication: options.publish ? ("published" as const) : ("unpublished" as const),
          models: list.models,
          mode: options.apply ? ("apply" as const) : ("preview" as const),
        };
        const { applied, data: compared } = await catalogue.importModels(order, by);
        const report = { compared, list, applied };
        printResult(importView(report), { json: options.json === true, text: (screen) => importText(report, screen) });
      });
    });
}

/** A list knows its vendors by names of its own, and a wrong one would look like a list without models. */
function requireVendor(vendor: string, known: readonly string[]): void {
  if (known.includes(vendor) || /[*?]/.test(vendor)) return;
  throw new CommandError(
    `the list has no vendor ${JSON.stringify(vendor)}${didYouMean(suggest(vendor, known)) || "."} Name one with --vendor.`,
  );
}

function markup(text: string): Decimal {
  const factor = parseFactor(text);
  if (factor === null)
    throw new InvalidArgumentError("It must be a decimal above zero such as 1.2, with at most nine decimal places.");
  return factor;
}
