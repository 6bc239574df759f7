import type { Model } from "../../../catalogue/model.ts";
import type { Route } from "../../../core/catalogue/route.ts";
import { Fault, fieldFault } from "../../../core/fault.ts";
import { PLAIN_TIER, tiersSold } from "../../../core/money/rate-rows.ts";
import type { ClientDialect, RouteFormat } from "../../../core/request/dialect.ts";
import type { Key } from "../../../keys/key.ts";
import type { DialectQuirks } from "../../../wire/dialect-quirks.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";

type Asked = Pick<GenerationRequest, "dialect" | "tier" | "tierField">;

/** Between these a tier is said alike. */
const ALIKE: ReadonlySet<ClientDialect | RouteFormat> = new Set(["chat", "responses"]);

/** What of a key says which tiers it may ask for. */
type Asker = Pick<Key, "mode" | "tiers" | "accountTiers">;

/**
 * Refuses a tier without a line in the price of the model, one that the key or an account above it is not allowed, and one that none of
 * the model's providers can be asked for in this format.
 */
export function checkTier({ tier, tierField, dialect }: Asked, { id, price, routes }: Model, key: Asker): void {
  if (tier === PLAIN_TIER) return;
  // A token costs one token whatever it was served as.
  if (key.mode === "token_budget") {
    throw fieldFault(tierField, "Keys with a token budget are served in the usual tier. Remove this field.");
  }
  const sold = price === null ? [] : tiersSold(price);
  const open = sold.filter((one) => isAllowed(key, one));
  if (!sold.includes(tier)) throw fieldFault(tierField, notSold(id, tier, open));
  if (!open.includes(tier))
    throw new Fault("key_disabled", notAllowed(key, { tier, tierField, open }), { param: tierField });
  if (routes.some((route) => canSay(dialect, route))) return;
  throw fieldFault(tierField, `No provider of ${id} can be asked for '${tier}' in this format. Remove this field.`);
}

/** The routes whose providers can be told the tier. */
export const tierRoutes = <Some extends Pick<Route, "dialect">>(
  { tier, dialect }: Pick<Asked, "dialect" | "tier">,
  routes: readonly Some[],
): readonly Some[] => (tier === PLAIN_TIER ? routes : routes.filter((route) => canSay(dialect, route)));

const canSay = (client: ClientDialect, { dialect }: Pick<Route, "dialect">): boolean =>
  client === dialect || (ALIKE.has(client) && ALIKE.has(dialect));

/** Clouds know nothing of speeds, so that what asks for one is sent to them without. */
export const tellsTier = (
  { dialect }: Pick<Route, "dialect">,
  { messages }: Pick<DialectQuirks, "messages">,
): boolean => dialect !== "messages" || messages.cloud === null;

const allows = (tiers: readonly string[] | null, tier: string): boolean => tiers === null || tiers.includes(tier);
const isAllowed = ({ tiers, accountTiers }: Asker, tier: string): boolean =>
  allows(tiers, tier) && allows(accountTiers, tier);

const notSold = (id: string, tier: string, open: readonly string[]): string =>
  `${id} has no published price for '${tier}'. ${instead(open, "this field")}`;

/** The name of the field is in the text, since errors of messages have no place for it. */
const notAllowed = (
  { tiers }: Asker,
  { tier, tierField, open }: Pick<Asked, "tier" | "tierField"> & { open: readonly string[] },
): string => {
  const who = allows(tiers, tier) ? "The account of this API key" : "This API key";
  return `${who} can't ask for ${tierField} '${tier}'. ${instead(open, `\`${tierField}\``)}`;
};

const instead = (open: readonly string[], field: string): string =>
  open.length === 0 ? `Remove ${field}.` : `Use ${open.map((one) => `'${one}'`).join(" or ")}, or remove ${field}.`;
