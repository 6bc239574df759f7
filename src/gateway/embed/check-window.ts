import type { EmbeddingModel } from "../../catalogue/model.ts";
import type { EmbeddingRoute } from "../../core/catalogue/route.ts";
import { Fault } from "../../core/fault.ts";
import type { EmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";

type Bounded = Pick<EmbeddingModel, "id" | "contextWindow">;

/**
 * The routes that inputs of this length may take. A list of tokens that is longer than the model takes is refused. How many tokens a text
 * has, its provider knows, and refuses what is too long; a strict one would cut it and answer for the rest, so that it is sent only what
 * fits whatever its tokens. [interface decision 15]
 */
export function keepToWindow(
  { input: { kind, sizes } }: Pick<EmbeddingsRequest, "input">,
  model: Bounded,
  routes: readonly EmbeddingRoute[],
): readonly EmbeddingRoute[] {
  const { contextWindow } = model;
  if (contextWindow === null) return routes;
  const place = sizes.findIndex((size) => size > contextWindow);
  if (place === -1) return routes;
  const left = kind === "texts" ? routes.filter(({ windowCheck }) => windowCheck !== "strict") : [];
  if (left.length > 0) return left;
  const which = sizes.length === 1 ? "The input" : `Input ${place}`;
  const [size, most] = [sizes[place] ?? 0, contextWindow].map((count) => count.toLocaleString("en-US"));
  const has = kind === "tokens" ? `has ${size} tokens` : `may be up to ${size} tokens`;
  throw new Fault(
    "context_length_exceeded",
    `${which} ${has}; ${model.id} accepts at most ${most} in each. Split it.`,
    { param: "input" },
  );
}
