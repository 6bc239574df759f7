import type { Route } from "../../../core/catalogue/route.ts";
import { fieldFault } from "../../../core/fault.ts";
import { pricesGrounding, pricesTool, type Tariff } from "../../../core/money/price.ts";
import type { ProviderTool } from "../../../core/request/provider-tools.ts";
import type { Key } from "../../../keys/key.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";

/** Refuses tools that the provider runs where the price of the model does not name what they cost. A crossing refuses them by itself. */
export function checkProviderTools(
  { providerTools: asked = [] }: Pick<GenerationRequest, "providerTools">,
  { id, price, routes }: Sold,
  { mode }: Pick<Key, "mode">,
): void {
  const [first] = asked;
  if (first === undefined) return;
  // A search costs money, and tokens are all that such a key has.
  if (mode === "token_budget") {
    throw fieldFault(
      first.at,
      `Keys with a token budget can't pay for ${WORDS[first.name]}. Remove this tool, or use one that your client runs.`,
    );
  }
  const unsold = asked.find(({ name }) => price === null || !sells({ price, routes }, name));
  if (unsold === undefined) return;
  throw fieldFault(
    unsold.at,
    `The provider's ${WORDS[unsold.name]} isn't supported: ${id} has no published price for it (\`tools.web_search\`). Remove this tool, or use one that your client runs.`,
  );
}

type Sold = {
  id: string;
  price: Pick<Tariff, "toolCallNano"> | null;
  routes: readonly Pick<Route, "dialect">[];
};

/** A price per request that searched is Google's alone: elsewhere nothing of an answer says that it did. */
const sells = (
  { price, routes }: { price: Pick<Tariff, "toolCallNano">; routes: Sold["routes"] },
  name: ProviderTool,
): boolean =>
  pricesTool(price, name) ||
  (name === "web_search" && pricesGrounding(price) && routes.every(({ dialect }) => dialect === "gemini"));

const WORDS = { web_search: "web search", web_fetch: "web fetch" } as const;
