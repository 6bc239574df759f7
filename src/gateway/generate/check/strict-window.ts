import type { Model } from "../../../catalogue/model.ts";
import { Fault } from "../../../core/fault.ts";
import type { InputEstimate } from "../../../core/request/input-estimate.ts";
import { mediaTokensOf, mostInputTokens } from "../../../core/request/media-tokens.ts";
import type { GenerationRoute, Route } from "../../../core/catalogue/route.ts";
import { after, type Soon } from "../../../core/soon.ts";
import type { RouteGroup, RouteGroups } from "../../../translate/fidelity/group-routes.ts";
import { MOST_COUNTED_BYTES } from "./count-near-the-edge.ts";

type Judged = { model: Model; routeGroups: RouteGroups<GenerationRoute>; input: InputEstimate };

type Texts = {
  bodyBytes: number;
  /** How many tokens the bound of its input falls by when its texts are counted. */
  saved: () => Promise<number>;
};

type Kept = {
  routeGroups: RouteGroups<GenerationRoute>;
  /** Whether it was proven that the model reads it whole. */
  fits: boolean;
};

const isStrict = ({ windowCheck }: Route): boolean => windowCheck === "strict";

/**
 * The routes that a request may take by the window of its model. A strict provider cuts an input that is too long and answers the rest,
 * so it is sent only what fits by a bound: of the bytes, else of the texts as counted. [interface decision 15]
 */
export function keepToWindow({ model, routeGroups, input }: Judged, { bodyBytes, saved }: Texts): Soon<Kept> {
  const { contextWindow } = model;
  if (contextWindow === null || !model.routes.some(isStrict)) return { routeGroups, fits: false };
  const bound = mostInputTokens(input, mediaTokensOf(model), null);
  if (bound <= contextWindow) return { routeGroups, fits: true };
  const counted = bodyBytes > MOST_COUNTED_BYTES ? bound : saved().then((fewer) => bound - fewer);
  return after(counted, (tokens) => {
    if (tokens <= contextWindow) return { routeGroups, fits: true };
    const left = withoutStrict(routeGroups);
    if (left !== null) return { routeGroups: left, fits: false };
    throw new Fault(
      "context_length_exceeded",
      `Input may be up to ${tokens.toLocaleString("en-US")} tokens; ${model.id} accepts at most ${contextWindow.toLocaleString("en-US")}. Shorten the input.`,
    );
  });
}

/** Null: no route is left. */
function withoutStrict({ best, others }: RouteGroups<GenerationRoute>): RouteGroups<GenerationRoute> | null {
  const rest = (): RouteGroup<GenerationRoute>[] => others().flatMap(trying);
  const [first] = trying(best);
  if (first !== undefined) return { best: first, others: rest };
  const [next, ...more] = rest();
  return next === undefined ? null : { best: next, others: () => more };
}

function trying({ routes, fidelity }: RouteGroup<GenerationRoute>): RouteGroup<GenerationRoute>[] {
  const left = routes.filter((route) => !isStrict(route));
  return left.length === 0 ? [] : [{ routes: left, fidelity }];
}
