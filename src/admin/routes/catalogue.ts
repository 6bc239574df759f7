import {
  changesSchema,
  changesView,
  importedModelView,
  importedSchema,
  importSchema,
  leftOutView,
  priceListComparedSchema,
  priceListSchema,
} from "../../wire/admin/catalogue.ts";
import { descriptionIn } from "../../wire/catalogue/description.ts";
import { EXACT } from "../../wire/catalogue/price.ts";
import { type AdminRoute, route } from "../route.ts";

/** Some two thousand models with price and route take about a megabyte; five thousand are let in. */
const MAX_BODY_BYTES = 8 * 1_048_576;

export const catalogueRoutes: readonly AdminRoute[] = [
  route({
    id: "applyCatalogue",
    tag: "catalogue",
    method: "POST",
    path: "/admin/v1/catalogue",
    summary: "Apply a catalogue of providers, models, prices and routes; entries it does not list are unchanged",
    maxBodyBytes: MAX_BODY_BYTES,
    body: descriptionIn(EXACT),
    answers: { 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue } }, { body, by }) => ({
      status: 200,
      body: changesView(await catalogue.apply(body, by)),
    }),
  }),
  route({
    id: "importModels",
    tag: "catalogue",
    method: "POST",
    path: "/admin/v1/models/import",
    summary: "Compare a price list with the catalogue, and with `apply` write the changes",
    maxBodyBytes: MAX_BODY_BYTES,
    body: importSchema,
    answers: { 200: importedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue } }, { body, by }) => {
      const compared = await catalogue.importModels(body, by);
      return { status: 200, body: { applied: body.mode === "apply", data: compared.map(importedModelView) } };
    },
  }),
  route({
    id: "importPriceList",
    tag: "catalogue",
    method: "POST",
    path: "/admin/v1/models/import/litellm",
    summary: "Compare LiteLLM's price list with the catalogue, and with `apply` write the changes",
    description:
      "Dollars become credits by `markup` and the setting `credit_usd`. Models without one price per token are left out and counted.",
    maxBodyBytes: MAX_BODY_BYTES,
    body: priceListSchema,
    answers: { 200: priceListComparedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue }, readPriceList }, { body: { list: text, choice, ...order }, by }) => {
      const list = await readPriceList(text, choice);
      const compared = await catalogue.importModels({ ...order, models: list.models }, by);
      return {
        status: 200,
        body: { applied: order.mode === "apply", data: compared.map(importedModelView), ...leftOutView(list) },
      };
    },
  }),
];
