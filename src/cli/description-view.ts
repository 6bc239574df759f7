import type { Control } from "../app.ts";
import { modelView } from "../wire/catalogue/model.ts";
import { routeView } from "../wire/catalogue/route.ts";
import { tariffView } from "../core/tariff-view.ts";

type Description = Parameters<Control["catalogue"]["apply"]>[0];
type DescribedModel = Description["models"][number];
type DescribedPrice = NonNullable<DescribedModel["price"]>;

/** A catalogue that was read from a file, in the words of the file again: as the admin API takes it. */
export const descriptionView = ({ providers, models }: Description): object => ({
  providers: providers.map(({ name, baseUrl, credentialRef, unknownMembers = null, openMembers = null }) => ({
    name,
    base_url: baseUrl,
    credential: credentialRef,
    unknown_members: unknownMembers,
    open_members: openMembers,
  })),
  models: models.map((model) => ({
    ...modelView(model),
    price: model.price === null ? null : priceView(model.price),
    upcoming_prices: model.upcomingPrices.map(priceView),
    routes: model.routes.map((route) => routeView({ concurrencyLimit: null, ...route })),
  })),
});

const priceView = (price: DescribedPrice): object => ({
  effective_from: price.effectiveFromMs === null ? null : new Date(price.effectiveFromMs).toISOString(),
  ...tariffView(price),
});
