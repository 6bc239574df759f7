import { Argument, type Command } from "commander";
import { matchesGlob } from "../../../core/text/matches-glob.ts";
import { everyPage } from "../../../core/page.ts";
import { catalogueChanges } from "../../../contract/catalogue-changes.ts";
import { written } from "../../../wire/validate.ts";
import { isoDate } from "../../arguments.ts";
import { modelFacts, modelListing, modelView, routeListing, routeView } from "../../text/catalogue/model-text.ts";
import { withOperator } from "../../open-operator.ts";
import { addPriceOptions, partsOf, type PriceOptions } from "../../price-options.ts";
import { changeListing } from "../../text/catalogue/price-text.ts";
import { printable } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";
import { CommandError } from "../../report-failure.ts";
import { addModelAddCommand } from "./add-model.ts";
import { addModelImportCommand } from "./import-models.ts";
import { addAlarmsCommand } from "./model-alarms.ts";

type Json = { json?: true };
type Published = { id: string; changed: boolean; warnings: readonly string[] };

/** `tollgate models …`. */
export function addModelCommands(program: Command): void {
  const models = program.command("models").description("add, price, publish and import models");

  models
    .command("list")
    .description("list models with price, limits and routes, and why a model cannot be used")
    .option("--match <pattern>", "only ids that match this pattern; * matches any characters", "*")
    .option("--json", "print JSON")
    .action(async (options: { match: string } & Json, command: Command) => {
      await withOperator(command, async ({ catalogue }) => {
        const { data: all } = await everyPage(catalogue.listModels);
        const shown = all.filter(({ id }) => matchesGlob(id, options.match));
        printResult(
          { data: shown.map(modelView) },
          { json: options.json === true, text: (screen) => modelListing(shown, options.match, screen) },
        );
      });
    });

  models
    .command("show")
    .argument("<model>", "model id")
    .description("show a model: limits, price, what it can do, and what a picture or a document reserves")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json, command: Command) => {
      await withOperator(command, async ({ catalogue }) => {
        const model = await catalogue.showModel(id);
        printResult(modelView(model), {
          json: options.json === true,
          text: (screen) => modelFacts(model, screen),
        });
      });
    });

  addModelAddCommand(models);
  addPriceCommand(models);
  addPublicationCommand(models, "publish", "make models available to clients");
  addPublicationCommand(models, "unpublish", "withdraw models; clients get 404 and nothing is deleted");
  addRoutesCommand(models);
  addAlarmsCommand(models);
  addModelImportCommand(models);
}

function addPriceCommand(models: Command): void {
  const command = models
    .command("price")
    .argument("<model>", "model id")
    .description("change the price of a model, now or from a date; parts you do not name stay");
  addPriceOptions(command)
    .option("--from <date>", "when the price takes effect, such as 2027-01-31T00:00:00Z (default: now)", isoDate)
    .option("--json", "print JSON")
    .action(async (id: string, options: PriceOptions & { from?: string } & Json, self: Command) => {
      const parts = partsOf(options);
      if (Object.keys(parts).length === 0)
        throw new CommandError("there is nothing to change. Name at least one price, such as --input 2.50.");
      await withOperator(self, async ({ catalogue }, by) => {
        const fromMs = options.from === undefined ? null : Date.parse(options.from);
        const changes = await catalogue.changePrice(id, { parts, fromMs }, by);
        printResult(written(catalogueChanges, changes), {
          json: options.json === true,
          text: (screen) => changeListing(changes, screen),
        });
      });
    });
}

function addPublicationCommand(models: Command, word: "publish" | "unpublish", description: string): void {
  models
    .command(word)
    .argument("<model...>", "model ids, with * for any characters and ? for one")
    .description(description)
    .option("--json", "print JSON")
    .action(async (ids: string[], options: Json, command: Command) => {
      await withOperator(command, async ({ catalogue }, by) => {
        const results = await catalogue.publish(word, ids, by);
        const data = await Promise.all(
          results.map(async (result) => ({ ...result, obstacles: (await catalogue.showModel(result.id)).obstacles })),
        );
        printResult({ data }, { json: options.json === true, text: () => data.map(publicationText(word)).join("\n") });
      });
    });
}

/** A published model that callers still cannot use is no success, and nobody would look twice. */
const publicationText =
  (word: "publish" | "unpublish") =>
  ({ id, changed, obstacles, warnings }: Published & { obstacles: readonly string[] }): string => {
    const state = `${printable(id)} ${changed ? "is now" : "was already"} ${word}ed`;
    const reasons =
      word === "unpublish" ? [] : [...obstacles, ...warnings.map((text) => `warning: ${printable(text)}`)];
    return [state, ...reasons].join("; ");
  };

function addRoutesCommand(models: Command): void {
  models
    .command("routes")
    .argument("<model>", "model id")
    .addArgument(new Argument("[action]", "remove a route; without it, routes are listed").choices(["remove"]))
    .argument("[route]", "route id or PROVIDER/UPSTREAM-MODEL, or an unambiguous beginning of either")
    .description("list the routes of a model, or remove one")
    .option("--force", "remove even the last route of a published model")
    .option("--json", "print JSON")
    .action(
      async (
        id: string,
        action: "remove" | undefined,
        route: string | undefined,
        options: { force?: true } & Json,
        command: Command,
      ) => {
        if (action === "remove" && route === undefined) throw new CommandError("name the route to remove.");
        const json = options.json === true;
        await withOperator(command, async ({ catalogue }, by) => {
          if (route !== undefined) {
            const removed = await catalogue.removeRoute(id, route, options.force ? "remove" : "keep", by);
            const text = () => `Removed ${removed.name}. Routes left: ${removed.routesLeft}.`;
            printResult({ model: id, ...removed }, { json, text });
            return;
          }
          const { routes } = await catalogue.showModel(id);
          printResult(
            { model: id, routes: routes.map(routeView) },
            { json, text: (screen) => routeListing(routes, screen) },
          );
        });
      },
    );
}
