import type { ListedCost } from "../../../operator/money/costs.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";
import { priceText } from "./price-text.ts";

export const costListing = (costs: readonly ListedCost[], screen: Screen = PLAIN): string =>
  costs.length === 0
    ? "No costs are given, so there are no margins. Give one with `tollgate costs set`."
    : table(
        ["PROVIDER", "UPSTREAM MODEL", "STATE", "FROM", "DOLLARS PER MILLION TOKENS OR TOOL CALL"],
        costs
          .toSorted((one, other) => compareNames(one, other) || one.effectiveFromMs - other.effectiveFromMs)
          .map(({ provider, upstreamModel, state, effectiveFromMs, cost }) => [
            provider,
            upstreamModel,
            state.replaceAll("_", " "),
            new Date(effectiveFromMs).toISOString(),
            cost === null ? "not known" : priceText(null, cost),
          ]),
        { screen },
      );

const compareNames = (one: ListedCost, other: ListedCost): number => {
  const [first, second] = [one, other].map(({ provider, upstreamModel }) => JSON.stringify([provider, upstreamModel]));
  return first === second ? 0 : (first ?? "") < (second ?? "") ? -1 : 1;
};
