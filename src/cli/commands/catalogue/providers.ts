import type { Command } from "commander";
import { everyPage } from "../../../core/page.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { providerListing, providerView, removalText } from "../../text/catalogue/provider-text.ts";
import { addProviderAddCommand } from "./add-provider.ts";
import { addProviderCertifyCommand } from "./certify-provider.ts";
import { addProviderRekeyCommand } from "./rekey-providers.ts";
import { addProviderTestCommand } from "./test-provider.ts";

/** `tollgate providers …`. */
export function addProviderCommands(program: Command): void {
  const providers = program
    .command("providers")
    .description("add, list, test, certify and remove providers, and re-encrypt their credentials");

  addProviderAddCommand(providers);

  providers
    .command("list")
    .description("list providers with their credentials and routes")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { data: list } = await everyPage(operator.providers.list);
        printResult(
          { data: list.map(providerView) },
          { json: options.json === true, text: (screen) => providerListing(list, screen) },
        );
      });
    });

  addProviderTestCommand(providers);
  addProviderCertifyCommand(providers);
  addProviderRekeyCommand(providers);

  providers
    .command("remove")
    .argument("<name>", "name of a provider")
    .description("remove a provider; refused while a published model has a route to it")
    .option("--force", "also withdraw the routes of published models")
    .option("--json", "print JSON")
    .action(async (name: string, options: { force?: true; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const removed = await operator.providers.remove(name, options.force ? "withdraw" : "keep", by);
        printResult(removed, { json: options.json === true, text: () => removalText(removed) });
      });
    });
}
