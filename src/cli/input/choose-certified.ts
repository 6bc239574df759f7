import type { Chosen } from "../../app/catalogue/plan-certification.ts";
import type { Operator } from "../../operator/operator.ts";
import type { ProviderDetails } from "../../operator/providers.ts";
import type { ModelDetails } from "../../operator/catalogue.ts";
import { isEmbedding } from "../../core/request/dialect.ts";
import { didYouMean, suggest } from "../../core/text/suggest.ts";
import { CommandError } from "../report-failure.ts";

/** The routes to a provider that are to be tested: of the named models, or of the one whose output costs least. */
export async function chooseCertified(
  { catalogue }: Pick<Operator, "catalogue">,
  provider: Pick<ProviderDetails, "name" | "routes">,
  named: readonly string[],
): Promise<Chosen[]> {
  const known = [...new Set(provider.routes.map(({ modelId }) => modelId))];
  if (known.length === 0) {
    throw new CommandError(`no model has a route to ${provider.name} yet. Add one with \`tollgate models add\`.`);
  }
  for (const id of named) {
    if (!known.includes(id))
      throw new CommandError(
        `model ${JSON.stringify(id)} has no route to ${provider.name}${didYouMean(suggest(id, known)) || "."}`,
      );
  }
  const models = await Promise.all((named.length > 0 ? named : known).map((id) => catalogue.showModel(id)));
  const unusable = models.find((model) => !isUsable(model));
  if (named.length > 0 && unusable !== undefined) {
    throw new CommandError(
      `model ${JSON.stringify(unusable.id)} needs a price and an output limit, so that its cost has a bound.`,
    );
  }
  const usable = models.filter(isUsable);
  const [cheapest] = usable.toSorted((one, other) => (one.price.outputNano < other.price.outputNano ? -1 : 1));
  if (cheapest === undefined) {
    throw new CommandError(
      `no model of ${provider.name} has a price and an output limit. Add them, or name a model with --model.`,
    );
  }
  const chosen = named.length > 0 ? usable : [cheapest];
  // Every trial gets a route of its own, so that of the catalogue must not lend its id.
  return chosen.flatMap((model) =>
    model.routes.flatMap(({ id: _id, dialect, ...route }) =>
      route.provider === provider.name && !isEmbedding(dialect) ? [{ model, route: { ...route, dialect } }] : [],
    ),
  );
}

type Usable = ModelDetails & { price: NonNullable<ModelDetails["price"]> };

const isUsable = (model: ModelDetails): model is Usable =>
  model.price !== null && (model.maxOutputTokens ?? model.outputCeiling) !== null;
