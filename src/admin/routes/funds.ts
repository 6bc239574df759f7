import {
  keyFundsSchema,
  keyFundsView,
  budgetSchema,
  fundedSchema,
  fundedView,
  topUpSchema,
} from "../../wire/admin/funds.ts";
import { ofKey } from "../../wire/admin/keys.ts";
import { type AdminRoute, route } from "../route.ts";

const BOOKED_ONCE =
  "Returns 201 when the operation is booked. A repeat with the same `reference` returns 200 and changes nothing.";

export const fundsRoutes: readonly AdminRoute[] = [
  route({
    id: "showFunds",
    tag: "funds",
    method: "GET",
    path: "/admin/v1/keys/{key}/funds",
    summary: "Show the balance of a key and every purse and limit above it",
    params: ofKey,
    answers: { 200: keyFundsSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { funds } }, { params, by }) => ({
      status: 200,
      body: keyFundsView(await funds.show(params.key, by)),
    }),
  }),
  route({
    id: "topUpKey",
    tag: "funds",
    method: "POST",
    path: "/admin/v1/keys/{key}/topups",
    summary: "Add credit to a key",
    description: BOOKED_ONCE,
    params: ofKey,
    body: topUpSchema,
    answers: { 201: fundedSchema, 200: fundedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { funds } }, { params, body, by }) => {
      const funded = await funds.topUp(params.key, body, by);
      return { status: funded.result === "funded" ? 201 : 200, body: fundedView(funded) };
    },
  }),
  route({
    id: "setBudget",
    tag: "funds",
    method: "POST",
    path: "/admin/v1/keys/{key}/budget",
    summary: "Set the token budget of a key",
    description: BOOKED_ONCE,
    params: ofKey,
    body: budgetSchema,
    answers: { 201: fundedSchema, 200: fundedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { funds } }, { params, body, by }) => {
      const funded = await funds.setBudget(params.key, body, by);
      return { status: funded.result === "funded" ? 201 : 200, body: fundedView(funded) };
    },
  }),
];
