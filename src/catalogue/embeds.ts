import type { GenerationRoute, Route } from "../core/catalogue/route.ts";
import { isEmbedding, type RouteFormat } from "../core/request/dialect.ts";
import type { EmbeddingModel, GenerationModel, Model } from "./model.ts";

/** What a model is for is told by the formats of its routes: they are all of one kind. A model without routes generates. */
const areForEmbeddings = (routes: readonly { dialect: RouteFormat }[]): boolean =>
  routes.length > 0 && routes.every(({ dialect }) => isEmbedding(dialect));

export const embeds = (model: Model): model is EmbeddingModel => areForEmbeddings(model.routes);

const isGenerating = (model: Model): model is GenerationModel => model.routes.every(generates);
const generates = (route: Route): route is GenerationRoute => !isEmbedding(route.dialect);
/** With the routes that text can be generated along. What was written down elsewhere may have others. */
export const asGenerating = (model: Model): GenerationModel =>
  isGenerating(model) ? model : { ...model, routes: model.routes.filter(generates) };
