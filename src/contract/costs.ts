import { z } from "zod";
import { MARGIN_GROUPS } from "../core/bills/margin-grouping.ts";
import { COST_STATES, type CostOrder, type ManageCosts } from "../operator/money/costs.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { decimal } from "../wire/admin/decimal.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { effectiveFromIn, EXACT, wholeTariff as tariffRequest } from "../wire/catalogue/price.ts";
import { name, upstreamModel } from "../wire/catalogue/route.ts";
import { renamed, sparse } from "../wire/codec.ts";
import { instant } from "../wire/instant.ts";
import type { WrittenAs } from "../wire/validate.ts";
import { catalogueChanges } from "./catalogue-changes.ts";
import type { Operations } from "./operation.ts";
import { tariff } from "./prices.ts";

const ROUTE_NAMES = { upstreamModel: "upstream_model", effectiveFromMs: "effective_from" } as const;

const costOrder = renamed(
  z.strictObject({
    provider: name.describe("Provider of the catalogue."),
    upstream_model: upstreamModel.describe("What the provider calls the model."),
    effective_from: effectiveFromIn(EXACT).describe(
      "When it begins; null: now. With a date in the past it is also the cost of what was charged since.",
    ),
    cost: tariffRequest
      .nullable()
      .describe(
        "As a price, in dollars per million tokens and per call of a tool; null: no cost is known from then on.",
      ),
  }),
  ROUTE_NAMES,
);

const dated = {
  provider: z.string(),
  upstream_model: z.string(),
  version: z
    .int()
    .describe("Of this model of the provider, in the order in which its costs were given.")
    .meta({ examples: [7] }),
  effective_from: instant.describe("When it begins."),
  given_at: instant.describe("When it was given."),
};
const DATED_NAMES = { ...ROUTE_NAMES, givenAtMs: "given_at" } as const;

const listedCost = renamed(
  z
    .object({
      ...dated,
      state: z.enum(COST_STATES).describe("Whether it is in force now. `past`: another has taken its place."),
      cost: tariff.nullable().describe("In dollars; null: no cost is known from then on."),
    })
    .meta({ id: "Cost" }),
  DATED_NAMES,
);

export const costs = pageSchema(listedCost);
export type CostsJson = WrittenAs<typeof costs>;

const credits = amountIn("credit");
const requests = z.int();
const CHARGED = { chargedNano: "charged", refundedNano: "refunded" } as const;

const noCost = renamed(
  z.object({ requests, charged: credits, refunded: credits }).meta({ id: "ChargedWithoutCost" }),
  CHARGED,
);

const usd = (says: string) => decimal(`${says} Exact decimal, in dollars.`, "12.5");

const margin = {
  requests: requests.describe("Requests that were charged in credits and have a cost."),
  charged: credits.describe("What they were charged."),
  refunded: credits.describe("What was given back of it until now."),
  charged_usd: usd("What they were charged and not given back, at `credit_usd`."),
  cost_usd: usd("What they cost at the costs in force when they were admitted."),
  margin_usd: usd("The difference."),
  requests_before: requests.describe("How many of the requests were made before their cost was given."),
  no_cost: noCost.describe("Requests without a cost. They are in none of the figures beside."),
  in_tokens: renamed(
    z.object({ requests, cost_usd: usd("What those with a cost came to.") }).meta({ id: "ChargedInTokens" }),
    {
      costUsd: "cost_usd",
    },
  ).describe("Requests that were charged in tokens: there is no amount to compare with their cost."),
};
const MARGIN_NAMES = {
  ...CHARGED,
  chargedUsd: "charged_usd",
  costUsd: "cost_usd",
  marginUsd: "margin_usd",
  requestsBefore: "requests_before",
  noCost: "no_cost",
  inTokens: "in_tokens",
} as const;

const marginGroup = renamed(
  z
    .object({
      id: z.string().nullable().describe("Of an account its id; null: the journal names none."),
      name: z.string().nullable(),
      ...margin,
    })
    .meta({ id: "MarginGroup" }),
  MARGIN_NAMES,
);

const missingCost = renamed(
  z
    .object({
      provider: z.string().nullable(),
      upstream_model: z.string().nullable(),
      part: z
        .string()
        .nullable()
        .describe("What the cost has no price for, such as `tools.web_search`; null: there was no cost.")
        .meta({ examples: ["tools.web_search"] }),
      requests,
      charged: credits,
      refunded: credits,
    })
    .meta({ id: "MissingCost" }),
  { upstreamModel: "upstream_model", ...CHARGED },
);

const day = z.iso.date().meta({ examples: ["2026-11-01"] });

export const margins = renamed(
  z
    .object({
      by: z.enum(MARGIN_GROUPS),
      from: z
        .string()
        .describe("The first day (UTC).")
        .meta({ examples: ["2026-11-01"] }),
      to: z
        .string()
        .describe("The last day (UTC).")
        .meta({ examples: ["2026-11-30"] }),
      credit_usd: decimal("Value of a credit in dollars: the setting as it is now.", "1"),
      groups: z.array(marginGroup).describe("Days in their order, others by what they were charged, most first."),
      total: renamed(z.object(margin).meta({ id: "Margin" }), MARGIN_NAMES).describe(
        "Of all groups, those that are not listed included.",
      ),
      missing: z.array(missingCost).describe("What has no cost, most charged first."),
      costs: z
        .array(renamed(z.object({ ...dated, requests }).meta({ id: "UsedCost" }), DATED_NAMES))
        .describe("The costs that were used, and for how many requests."),
      more: z
        .object({
          groups: z.int().describe("Number of groups not listed."),
          missing: z.int().describe("Number of rows without a cost not listed."),
          costs: z.int().describe("Number of costs not listed."),
        })
        .describe("How many of each are not listed; at most 1,000 are."),
    })
    .meta({ id: "Margins" }),
  { creditUsd: "credit_usd" },
);
export type MarginsJson = WrittenAs<typeof margins>;

const marginsQuery = sparse(
  z.strictObject({
    by: z
      .enum(MARGIN_GROUPS)
      .default("model")
      .describe("Group by model, day, provider, or the outermost accounts, each with all that is below it."),
    from: day.exactOptional().describe("The first day (UTC); omitted: 29 days before `to`."),
    to: day.exactOptional().describe("The last day (UTC); omitted: today. At most 92 days are added up."),
  }),
);

const routeName = ({ provider, upstreamModel: model }: CostOrder): string => `${provider}/${model}`;

/** What providers charge the operator, and what is left of what is charged, below `/admin/v1`. */
export const COSTS: Operations<ManageCosts> = {
  list: {
    id: "listCosts",
    method: "GET",
    path: "/costs",
    summary: "List every version of what providers charge the operator, in the order in which they were given",
    payload: pageQuery(100),
    answer: costs,
    refusals: ["invalid_request"],
    audit: "read",
  },
  set: {
    id: "setCost",
    method: "POST",
    path: "/costs",
    summary: "Say what a provider charges the operator for a model, now or from a date",
    description:
      "Nothing is charged by it: margins compare charges with it. A cost that is the same as the one in force changes nothing.",
    payload: costOrder,
    answer: catalogueChanges,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "cost.set",
      of: (order) => ({ kind: "cost", name: routeName(order) }),
      asked: (order) => order,
      after: (changes) => ({ changes }),
    },
  },
  showMargins: {
    id: "showMargins",
    method: "GET",
    path: "/ledger/margins",
    summary: "Show what charges brought beyond what they cost, by model, account, day or provider",
    description:
      "Computed from the journal when it is asked for, with the cost in force when each request was admitted. Requests without a cost are listed apart and are in no margin.",
    isLong: true,
    payload: marginsQuery,
    answer: margins,
    refusals: ["invalid_request"],
    audit: "read",
  },
};
