import { type Command, Option } from "commander";
import { withCatalogue } from "../open-catalogue.ts";
import { printResult } from "../print.ts";
import { isSentInTheClear, readProviderOrder } from "../provider-order.ts";
import { PRESETS } from "../provider-presets.ts";
import { providerListing, providerView, removalText } from "../provider-text.ts";
import { addProviderTestCommand } from "./test-provider.ts";

type AddOptions = { url?: string; credential?: string; preset?: string; replace?: true; json?: true };

/** `tollgate providers …`. */
export function addProviderCommands(program: Command): void {
  const providers = program.command("providers").description("add, list, test and remove providers");

  providers
    .command("add")
    .argument("<name>", "what to call it")
    .description("add a provider; of its credential only the place is kept")
    .option("--url <url>", "base URL up to and without the operation's path, such as https://api.example.com/v1")
    .option("--credential <reference>", "where its credential is found: env:NAME, file:/absolute/path or none")
    .addOption(new Option("--preset <name>", "URL and credential of a known provider").choices(Object.keys(PRESETS)))
    .option("--replace", "change one that is there already with another URL or credential")
    .option("--json", "print JSON")
    .action(async (name: string, options: AddOptions, command: Command) => {
      const order = readProviderOrder(name, options);
      await withCatalogue(command, async (catalogue) => {
        const [change] = await catalogue.addProvider(order, options.replace ? "replace" : "keep");
        if (isSentInTheClear(order)) {
          process.stderr.write(`warning: ${order.baseUrl} is not https, so the credential can be read on the way\n`);
        }
        const result = change?.change ?? "unchanged";
        printResult(
          { provider: name, result, base_url: order.baseUrl, credential: order.credentialRef },
          {
            json: options.json === true,
            text: () => `${result} ${name} at ${order.baseUrl}, credential ${order.credentialRef}`,
          },
        );
      });
    });

  providers
    .command("list")
    .description("list providers with their routes: dialects, and whether forwarded as they come or normalised")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withCatalogue(command, async (catalogue) => {
        const list = await catalogue.listProviders();
        printResult(
          { data: list.map(providerView) },
          { json: options.json === true, text: () => providerListing(list) },
        );
      });
    });

  addProviderTestCommand(providers);

  providers
    .command("remove")
    .argument("<name>", "a provider")
    .description("remove a provider; refused while published models have routes there")
    .option("--force", "withdraw the routes of published models too")
    .option("--json", "print JSON")
    .action(async (name: string, options: { force?: true; json?: true }, command: Command) => {
      await withCatalogue(command, async (catalogue) => {
        const removed = await catalogue.removeProvider(name, options.force ? "withdraw" : "keep");
        printResult(removed, { json: options.json === true, text: () => removalText(removed) });
      });
    });
}
