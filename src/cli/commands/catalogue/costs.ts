import type { Command } from "commander";
import { everyPage } from "../../../core/page.ts";
import { mergeTariff, type Tariff } from "../../../core/money/price.ts";
import { catalogueChanges } from "../../../contract/catalogue-changes.ts";
import { costs as costsSchema } from "../../../contract/costs.ts";
import type { RouteCost } from "../../../operator/money/costs.ts";
import { written } from "../../../wire/validate.ts";
import { isoDate } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addPriceOptions, partsOf, type PriceOptions } from "../../price-options.ts";
import { CommandError } from "../../report-failure.ts";
import { costListing } from "../../text/catalogue/cost-text.ts";
import { changeListing } from "../../text/catalogue/price-text.ts";
import { printResult } from "../../text/print.ts";

type Dated = { from?: string; json?: true };

/** `tollgate costs …`. */
export function addCostCommands(program: Command): void {
  const costs = program.command("costs").description("say what providers charge you, so that margins can be shown");

  costs
    .command("list")
    .description("list what providers charge you, in dollars")
    .option("--all", "also costs that another has taken the place of")
    .option("--json", "print JSON")
    .action(async (options: { all?: true; json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { data: all } = await everyPage(operator.costs.list);
        const data = all.filter(({ state }) => options.all === true || state !== "past");
        printResult(written(costsSchema, { data, next: null }), {
          json: options.json === true,
          text: (screen) => costListing(data, screen),
        });
      });
    });

  const set = routeCommand(costs, "set", "say what a provider charges you for a model, now or from a date");
  addPriceOptions(set, "dollars");
  addDate(set, "when it begins, such as 2026-11-01; a date in the past covers what was charged since (default: now)");
  set.action(async (provider: string, upstreamModel: string, options: PriceOptions & Dated, command: Command) => {
    const cost = mergeTariff(null, partsOf(options));
    if (cost === null) throw new CommandError("a cost has an input and an output price: --input 2.50 --output 10.");
    await change({ provider, upstreamModel, cost }, options, command);
  });

  const remove = routeCommand(costs, "remove", "say that a cost is not known any more, now or from a date");
  addDate(remove, "from when on, such as 2026-11-01 (default: now)");
  remove.action(async (provider: string, upstreamModel: string, options: Dated, command: Command) => {
    await change({ provider, upstreamModel, cost: null }, options, command);
  });
}

const routeCommand = (costs: Command, name: string, description: string): Command =>
  costs
    .command(name)
    .argument("<provider>", "provider of the catalogue")
    .argument("<upstream-model>", "what the provider calls the model")
    .description(description);

const addDate = (command: Command, says: string): Command =>
  command.option("--from <date>", says, isoDate).option("--json", "print JSON");

async function change(order: RouteCost & { cost: Tariff | null }, { from, json }: Dated, command: Command) {
  await withOperator(command, async (operator, by) => {
    const effectiveFromMs = from === undefined ? null : Date.parse(from);
    const changes = await operator.costs.set({ ...order, effectiveFromMs }, by);
    printResult(written(catalogueChanges, changes), {
      json: json === true,
      text: (screen) => changeListing(changes, screen),
    });
  });
}
