import type { RouteFormat } from "../../core/request/dialect.ts";
import type { ProviderDetails } from "../../operator/providers.ts";
import { CommandError } from "../report-failure.ts";

/** What a test calls. `route` is the one that it speaks for; null when the catalogue has none such. */
export type Choice = {
  upstreamModel: string;
  dialect: RouteFormat;
  route: { modelId: string; conformant: boolean } | null;
};

/** A model by our name or by the provider's own; without one, whatever callers are offered first. */
export function chooseTarget(
  { name, routes }: Pick<ProviderDetails, "name" | "routes">,
  { model, dialect }: { model: string | undefined; dialect: RouteFormat | undefined },
): Choice {
  const spoken = routes.filter((route) => dialect === undefined || route.dialect === dialect);
  const wanted =
    model === undefined ? spoken : spoken.filter((route) => route.modelId === model || route.upstreamModel === model);
  const route = wanted.find(({ published }) => published) ?? wanted[0];
  if (route !== undefined) {
    const { upstreamModel, modelId, conformant } = route;
    return { upstreamModel, dialect: route.dialect, route: { modelId, conformant } };
  }
  if (model === undefined) {
    throw new CommandError(`no model has a route to ${name} yet. Name one of its models with --model.`);
  }
  return { upstreamModel: model, dialect: dialect ?? "chat", route: null };
}
