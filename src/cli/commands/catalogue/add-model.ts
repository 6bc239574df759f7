import { type Command, InvalidArgumentError, Option } from "commander";
import { catalogueChanges } from "../../../contract/catalogue-changes.ts";
import { written } from "../../../wire/validate.ts";
import { isEmbedding, ROUTE_FORMATS, type RouteFormat } from "../../../core/request/dialect.ts";
import { mergeTariff, type Tariff } from "../../../core/money/price.ts";
import { regionName, tokenCount } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addPriceOptions, partsOf, type PriceOptions } from "../../price-options.ts";
import { changeListing } from "../../text/catalogue/price-text.ts";
import { printResult } from "../../text/print.ts";
import { CommandError } from "../../report-failure.ts";

type AddOptions = PriceOptions & {
  provider: string;
  upstreamModel: string;
  format: RouteFormat;
  conformant?: boolean;
  priority?: number;
  weight?: number;
  region?: string | null;
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
    .argument("<model>", "the id that clients use", modelId)
    .description("add a model with a price and a route, or add or change a route of an existing model")
    .requiredOption("--provider <name>", "provider of the route")
    .requiredOption("--upstream-model <name>", "the provider's name for the model")
    .addOption(
      new Option("--format <format>", "wire format of the route; embeddings: the model makes embeddings")
        .choices(ROUTE_FORMATS)
        .makeOptionMandatory(),
    )
    .option("--conformant", "forward its streams unchanged")
    .option("--no-conformant", "repair its streams (default)")
    .option("--priority <number>", "routes with a lower number are tried first (default: 0)", smallCount)
    .option(
      "--weight <number>",
      "share of requests among routes of equal priority; 0 is used last (default: 1)",
      smallCount,
    )
    .option("--region <name|none>", "where the route runs, in a word of yours such as eu", regionOrNone)
    .option("--context <tokens>", "context window", limit)
    .option("--max-output <tokens>", "limit of output tokens", limit)
    .option("--reasoning", "the model reasons; a stream that is cut is charged for its silence")
    .option("--no-reasoning", "it does not; translated requests omit reasoning effort and earlier reasoning")
    .option("--name <text>", "display name");
  addPriceOptions(command)
    .option("--unpublished", "do not make it available to clients yet")
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
        printResult(written(catalogueChanges, changes), {
          json: options.json === true,
          text: (screen) => changeListing(changes, screen),
        });
      });
    });
}

const routeOf = ({ provider, upstreamModel, format, conformant, priority, weight, region }: AddOptions) => ({
  provider,
  upstreamModel,
  dialect: format,
  ...(conformant === undefined ? {} : { conformant }),
  ...(priority === undefined ? {} : { priority }),
  ...(weight === undefined ? {} : { weight }),
  ...(region === undefined ? {} : { region }),
});

function tariffOf(options: PriceOptions & Pick<AddOptions, "format">): Tariff | null {
  const parts = partsOf(options);
  if (Object.keys(parts).length === 0) return null;
  const embeds = isEmbedding(options.format);
  const tariff = mergeTariff(null, embeds ? { outputNano: 0n, ...parts } : parts);
  if (tariff === null) throw new CommandError(`a price needs at least --input${embeds ? "" : " and --output"}.`);
  return tariff;
}

const MOST_TOKENS = 2_147_483_647;
const MOST_SMALL = 1_000_000;

function limit(text: string): number {
  const count = tokenCount(text);
  if (count >= 1 && count <= MOST_TOKENS) return count;
  throw new InvalidArgumentError(`It must be 1 to ${MOST_TOKENS} tokens.`);
}

const regionOrNone = (text: string): string | null => (text === "none" ? null : regionName(text));

function smallCount(text: string): number {
  if (/^\d{1,7}$/.test(text) && Number(text) <= MOST_SMALL) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number, 0 to ${MOST_SMALL}.`);
}

function modelId(text: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 200 printable characters without spaces.");
}
