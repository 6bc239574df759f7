import { type Command, InvalidArgumentError, Option } from "commander";
import { changesView } from "../../wire/admin/catalogue.ts";
import { type ProviderDialect, PROVIDER_DIALECTS } from "../../core/dialect.ts";
import { mergeTariff, type Tariff } from "../../core/price.ts";
import { tokenCount } from "../arguments.ts";
import { withOperator } from "../open-operator.ts";
import { addPriceOptions, partsOf, type PriceOptions } from "../price-options.ts";
import { changeListing } from "../text/price-text.ts";
import { printResult } from "../text/print.ts";
import { CommandError } from "../report-failure.ts";

type AddOptions = PriceOptions & {
  provider: string;
  upstreamModel: string;
  format: ProviderDialect;
  conformant?: boolean;
  priority?: number;
  weight?: number;
  context?: number;
  maxOutput?: number;
  reasoning?: boolean;
  name?: string;
  unpublished?: true;
  json?: true;
};

/** `tollgate models add`: a model with its first route, or another route to a model. */
export function addModelAddCommand(models: Command): void {
  const command = models
    .command("add")
    .argument("<model>", "the id callers use", modelId)
    .description(
      "add a model with its price and a route; or, to a model that is there, another route, or a change of one or of whether it reasons",
    )
    .requiredOption("--provider <name>", "the provider its route leads to")
    .requiredOption("--upstream-model <name>", "what that provider calls the model")
    .addOption(
      new Option("--format <format>", "the format that provider speaks")
        .choices(PROVIDER_DIALECTS)
        .makeOptionMandatory(),
    )
    .option("--conformant", "forward its streams as they come")
    .option("--no-conformant", "repair its streams on the way (as usual)")
    .option("--priority <number>", "routes of a lower one are tried first (usually 0)", smallCount)
    .option("--weight <number>", "share among routes of one priority (usually 1); 0 is a last resort", smallCount)
    .option("--context <tokens>", "context window", limit)
    .option("--max-output <tokens>", "longest answer", limit)
    .option("--reasoning", "it can be asked to think (as usual)")
    .option("--no-reasoning", "it cannot: requests that are translated for it are sent without effort and thoughts")
    .option("--name <text>", "a name for people");
  addPriceOptions(command)
    .option("--unpublished", "do not offer it to callers yet")
    .option("--json", "print JSON")
    .action(async (id: string, options: AddOptions, self: Command) => {
      await withOperator(self, async ({ catalogue }, by) => {
        const order = {
          id,
          displayName: options.name ?? null,
          contextWindow: options.context ?? null,
          maxOutputTokens: options.maxOutput ?? null,
          ...(options.reasoning === undefined ? {} : { reasoning: options.reasoning }),
          tariff: tariffOf(options),
          route: routeOf(options),
          publication: options.unpublished ? ("unpublished" as const) : ("published" as const),
        };
        const changes = await catalogue.addModel(order, by);
        printResult(changesView(changes), {
          json: options.json === true,
          text: (screen) => changeListing(changes, screen),
        });
      });
    });
}

const routeOf = ({ provider, upstreamModel, format, conformant, priority, weight }: AddOptions) => ({
  provider,
  upstreamModel,
  dialect: format,
  ...(conformant === undefined ? {} : { conformant }),
  ...(priority === undefined ? {} : { priority }),
  ...(weight === undefined ? {} : { weight }),
});

function tariffOf(options: PriceOptions): Tariff | null {
  const parts = partsOf(options);
  if (Object.keys(parts).length === 0) return null;
  const tariff = mergeTariff(null, parts);
  if (tariff === null) throw new CommandError("a price has at least --input and --output.");
  return tariff;
}

const MOST_TOKENS = 2_147_483_647;
const MOST_SMALL = 1_000_000;

function limit(text: string): number {
  const count = tokenCount(text);
  if (count >= 1 && count <= MOST_TOKENS) return count;
  throw new InvalidArgumentError(`It must be 1 to ${MOST_TOKENS} tokens.`);
}

function smallCount(text: string): number {
  if (/^\d{1,7}$/.test(text) && Number(text) <= MOST_SMALL) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number, 0 to ${MOST_SMALL}.`);
}

function modelId(text: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 200 printable characters without spaces.");
}
