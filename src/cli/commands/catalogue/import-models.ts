import { type Command, InvalidArgumentError, Option } from "commander";
import { type ListForm, listVendors, parseFactor, readPriceList } from "../../../config/price-list/read-price-list.ts";
import { systemClock } from "../../../core/clock.ts";
import { didYouMean, suggest } from "../../../core/text/suggest.ts";
import type { Decimal } from "../../../core/money/decimal.ts";
import type { PriceList } from "../../../core/catalogue/price-list.ts";
import { invariant } from "../../../core/invariant.ts";
import { listDifferences } from "../../../core/catalogue/list-differences.ts";
import { diffText, diffView } from "../../text/catalogue/diff-text.ts";
import { importText, importView } from "../../text/catalogue/import-text.ts";
import { type OpenedList, openPriceList } from "../../input/open-price-list.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { CommandError } from "../../report-failure.ts";

type ImportOptions = {
  from?: ListForm;
  acceptOldList?: true;
  provider: string;
  vendor?: string;
  match: string;
  markup: Decimal;
  free?: true;
  dearest?: true;
  publish?: true;
  apply?: true;
  diff?: true;
  json?: true;
};

/** `tollgate models import`: shows what a price list would change, and changes it when told to. */
export function addModelImportCommand(models: Command): void {
  models
    .command("import")
    .argument("[file]", "price list: a JSON file or its URL (default: the list that ships with Tollgate)")
    .description("compare a price list with the catalogue; --apply writes the changes")
    .addOption(
      new Option("--from <format>", "form of the list (default: as its content shows)").choices([
        "litellm",
        "models.dev",
      ]),
    )
    .option("--accept-old-list", "use the list that ships with Tollgate without asking when it is older than 45 days")
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
    .addOption(
      new Option("--diff", "show what would change of the models in the catalogue, field by field").conflicts([
        "apply",
        "publish",
      ]),
    )
    .option("--json", "print JSON")
    .action(importModels);
}

async function importModels(source: string | undefined, options: ImportOptions, command: Command): Promise<void> {
  const acceptOld = options.acceptOldList === true;
  const opened = await openPriceList(source, { acceptOld, nowMs: systemClock.nowMs() });
  await withOperator(command, async ({ catalogue }, by, { config }) => {
    const list = readList(opened, options, config.creditUsd);
    const { applied, data: compared } = await catalogue.importModels(
      {
        provider: options.provider,
        publication: options.publish ? "published" : "unpublished",
        models: list.models,
        mode: options.apply ? "apply" : "preview",
      },
      by,
    );
    const report = { compared, list, shipped: opened.shipped, applied };
    const json = options.json === true;
    if (!options.diff) return printResult(importView(report), { json, text: (screen) => importText(report, screen) });
    const differences = listDifferences(compared);
    printResult(diffView(report, differences), { json, text: (screen) => diffText(report, differences, screen) });
    process.exitCode = differences.length === 0 ? 0 : 1;
  });
}

function readList({ text, path }: OpenedList, options: ImportOptions, creditUsdText: string): PriceList {
  const creditUsd = parseFactor(creditUsdText);
  invariant(creditUsd, "a credit is worth something");
  const vendor = options.vendor ?? options.provider;
  const list = readPriceList(text, path, {
    vendor,
    match: options.match,
    exchange: { markup: options.markup, creditUsd },
    carry: { free: options.free === true, dearest: options.dearest === true },
  });
  if (list.form !== (options.from ?? list.form))
    throw new CommandError(`${path} has the form of ${list.form}; omit --from, or use --from ${list.form}.`);
  if (list.models.length === 0) requireVendor(vendor, listVendors(text, path));
  return list;
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
