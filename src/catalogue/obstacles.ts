import { embeds } from "./embeds.ts";
import type { Model } from "./model.ts";

type Circumstances = { published: boolean; suspendedFor: string | null };

/** Why callers cannot use a model, in the order in which an operator would mend it. */
export function obstaclesOf(model: Model, { published, suspendedFor }: Circumstances): string[] {
  const { maxOutputTokens, outputCeiling, routes, price } = model;
  const obstacles = [
    routes.length === 0 && "no route",
    maxOutputTokens === null && outputCeiling === null && !embeds(model) && "no output limit",
    suspendedFor !== null && `not on credit: ${suspendedFor} was used and has no price`,
    price === null && suspendedFor === null && "not on credit: no price",
    !published && "not published",
  ];
  return obstacles.filter((obstacle) => obstacle !== false);
}
