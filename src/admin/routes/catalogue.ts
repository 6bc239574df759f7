import { CATALOGUE, MOST_CATALOGUE_BYTES, priceListCompared, priceListRequest } from "../../contract/catalogue.ts";
import { MODELS } from "../../contract/models.ts";
import { written } from "../../wire/validate.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const importingList = route({
  id: "importPriceList",
  tag: "catalogue",
  method: "POST",
  path: "/admin/v1/models/import/litellm",
  summary: "Compare LiteLLM's price list with the catalogue, and with `apply` write the changes",
  description:
    "Dollars become credits by `markup` and the setting `credit_usd`. Models whose price needs what is not counted are left out and counted.",
  maxBodyBytes: MOST_CATALOGUE_BYTES,
  body: priceListRequest,
  answers: { 200: priceListCompared },
  refusals: ["invalid_request", "not_found", "conflict"],
  handle: async ({ operator: { catalogue }, readPriceList }, { body: { list: text, choice, order }, by }) => {
    const { models, leftOut, skipped, refused } = await readPriceList(text, choice);
    const compared = await catalogue.importModels({ ...order, models }, by);
    return { status: 200, body: written(priceListCompared, { ...compared, left_out: leftOut, skipped, refused }) };
  },
});

/** Models one by one, then many at once. */
export const catalogueRoutes: readonly AdminRoute[] = [
  ...serveOperations({ tag: "models", operations: MODELS, of: ({ catalogue }) => catalogue }),
  ...serveOperations({ tag: "catalogue", operations: CATALOGUE, of: ({ catalogue }) => catalogue }),
  importingList,
];
