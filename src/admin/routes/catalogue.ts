import { CATALOGUE, MOST_CATALOGUE_BYTES, priceListCompared, priceListRequest } from "../../contract/catalogue.ts";
import { MODELS } from "../../contract/models.ts";
import { fieldFault } from "../../core/fault.ts";
import { written } from "../../wire/validate.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const importingList = route({
  id: "importPriceList",
  tag: "catalogue",
  method: "POST",
  path: "/admin/v1/models/import/litellm",
  summary: "Compare a price list with the catalogue, and with `apply` write the changes",
  description:
    "Dollars become credits by `markup` and the setting `credit_usd`. Models whose price needs what is not counted are left out, each named with its reason.",
  maxBodyBytes: MOST_CATALOGUE_BYTES,
  body: priceListRequest,
  answers: { 200: priceListCompared },
  refusals: ["invalid_request", "not_found", "conflict"],
  handle: async ({ operator: { catalogue }, readPriceList }, { body: { source, ids, choice, order }, by }) => {
    const { models, leftOut, skipped, refused, shipped } = await readPriceList(source, choice);
    const compared = await catalogue.importModels({ ...order, models: chosenOf(models, ids) }, by);
    const list = { shipped_list: shipped, left_out: leftOut, skipped, refused };
    return { status: 200, body: written(priceListCompared, { ...compared, ...list }) };
  },
});

function chosenOf<Listed extends { id: string }>(models: readonly Listed[], ids: readonly string[] | null): Listed[] {
  if (ids === null) return [...models];
  const wanted = new Set(ids);
  const chosen = models.filter(({ id }) => wanted.delete(id));
  const [missing] = wanted;
  if (missing === undefined) return chosen;
  throw fieldFault("ids", `The list has no model ${JSON.stringify(missing)} that can be imported`);
}

/** Models one by one, then many at once. */
export const catalogueRoutes: readonly AdminRoute[] = [
  ...serveOperations({ tag: "models", operations: MODELS, of: ({ catalogue }) => catalogue }),
  ...serveOperations({ tag: "catalogue", operations: CATALOGUE, of: ({ catalogue }) => catalogue }),
  importingList,
];
