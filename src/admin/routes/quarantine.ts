import {
  ofRequest,
  quarantinePageSchema,
  quarantineSchema,
  quarantineView,
  releasedSchema,
  releasedView,
  releaseSchema,
} from "../../wire/admin/quarantine.ts";
import { type AdminRoute, route } from "../route.ts";

export const quarantineRoutes: readonly AdminRoute[] = [
  route({
    id: "listQuarantine",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/ledger/quarantine",
    summary: "List requests in quarantine; their amounts stay reserved until you release them",
    query: quarantinePageSchema,
    answers: { 200: quarantineSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { quarantine } }, { query }) => ({
      status: 200,
      body: quarantineView(await quarantine.list(query)),
    }),
  }),
  route({
    id: "releaseQuarantined",
    tag: "ledger",
    method: "POST",
    path: "/admin/v1/ledger/quarantine/{request}/release",
    summary: "Release a request: charge the cost at its last checkpoint, or nothing",
    params: ofRequest,
    body: releaseSchema,
    answers: { 200: releasedSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { quarantine } }, { params, body, by }) => ({
      status: 200,
      body: releasedView(await quarantine.release(params.request, body.end, by)),
    }),
  }),
];
