import { unitOf } from "../core/money/amount.ts";
import { allowedRegions, type RegionLimits } from "../core/catalogue/region.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import { allowedTiers, type Key } from "../keys/key.ts";
import type { CounterSummary } from "../ledger/ledger.ts";
import { namedOf } from "./binding.ts";
import { hasLeft, isOfKey, renewsOn } from "./lack-words.ts";

type Shown = {
  /** The counters of the key's chain whose figures its holder may see. */
  shown: readonly CounterSummary[];
  /** The one whose figures stand in the summary. */
  binding: CounterSummary | null;
  /** How many are not shown. */
  hidden: number;
};

/** What the figures of a summary are, which counter they are of, and when it renews. */
export function explainUsage(mode: KeyMode, { shown, binding, hidden }: Shown): string {
  if (binding !== null && shown.length === 1 && isOfKey(namedOf(binding))) {
    const more = hidden === 0 ? [] : [ABOVE];
    return [mode === "credit" ? CREDIT_EXPLAINED : budgetExplained(binding), ...more].join(" ");
  }
  const fields = mode === "credit" ? CREDIT_FIELDS : TOKEN_FIELDS;
  const others = shown.filter((counter) => counter !== binding).map((counter) => `Also: ${described(counter)}`);
  if (binding !== null) {
    const binds = `${hasLeft(namedOf(binding))}, the least of all that this key needs.`;
    return [fields, binds, renewal(binding), ...others, ...(hidden === 0 ? [] : [ABOVE])].join(" ");
  }
  if (hidden > 0) return [PAID_ABOVE, ...others].join(" ");
  const nothing = `This key has no ${unitOf(mode) === "credit" ? "credits" : "tokens"} that count for every model.`;
  return [nothing, ...(others.length === 0 ? ["Ask the operator for some."] : others)].join(" ");
}

/** Which tiers a key may ask for; nothing of one that may ask for all. Those of a token budget are served in the usual one. */
export function explainTiers(key: Pick<Key, "mode" | "tiers" | "accountTiers">): string[] {
  const tiers = allowedTiers(key);
  if (tiers === null || key.mode === "token_budget") return [];
  return [`Service tiers this key may ask for: ${["default", ...tiers].join(", ")}.`];
}

/** Where its requests run; nothing of one whose requests run anywhere. */
export function explainRegions(key: RegionLimits): string[] {
  const regions = allowedRegions(key);
  return regions === null ? [] : [`Requests of this key run in: ${regions.join(", ") || "no region"}.`];
}

const described = (counter: CounterSummary): string =>
  `${hasLeft(namedOf(counter), counter.models)}. ${renewal(counter)}`;

const renewal = ({ renewsAtMs }: CounterSummary): string =>
  renewsAtMs === null ? "It does not renew." : renewsOn(renewsAtMs);

const CREDIT_EXPLAINED =
  "Amounts are in credits. balance is what the key has; reserved is set aside for requests in progress; remaining is balance minus reserved; used is the total cost of all requests.";

function budgetExplained({ renewsAtMs }: CounterSummary): string {
  const renews = renewsAtMs === null ? "It does not renew." : `It renews at ${new Date(renewsAtMs).toISOString()}.`;
  return `This key has one token budget for input and output. used counts the current period; total counts the key's lifetime. ${renews}`;
}

const CREDIT_FIELDS =
  "Amounts are in credits. balance, reserved and remaining are of what limits this key most; used, today_spend and lifetime_spend are what this key's own requests cost.";
const TOKEN_FIELDS =
  "budget, used, reserved and remaining are of what limits this key most, for input and output; input, output and total are this key's own.";
const ABOVE = "Its account may limit it further.";
const PAID_ABOVE = "The account of this key pays for its requests. Its figures are not shown here.";
