import { fieldFault } from "../../../core/fault.ts";
import { pricesTool, type Tariff } from "../../../core/money/price.ts";
import type { Key } from "../../../keys/key.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";

/** Refuses tools that the provider runs where the price of the model does not name what they cost. A crossing refuses them by itself. */
export function checkProviderTools(
  { providerTools: asked = [] }: Pick<GenerationRequest, "providerTools">,
  { id, price }: { id: string; price: Pick<Tariff, "toolCallNano"> | null },
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
  const unsold = asked.find(({ name }) => price === null || !pricesTool(price, name));
  if (unsold === undefined) return;
  throw fieldFault(
    unsold.at,
    `The provider's ${WORDS[unsold.name]} isn't supported: ${id} has no published price for it (\`tools.web_search\`). Remove this tool, or use one that your client runs.`,
  );
}

const WORDS = { web_search: "web search", web_fetch: "web fetch" } as const;
