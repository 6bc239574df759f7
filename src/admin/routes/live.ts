import {
  cancelledSchema,
  cancelledView,
  liveListSchema,
  liveListView,
  liveQuerySchema,
} from "../../wire/admin/live.ts";
import { ofRequest } from "../../wire/admin/quarantine.ts";
import { type AdminRoute, route } from "../route.ts";

export const liveRoutes: readonly AdminRoute[] = [
  route({
    id: "listLive",
    tag: "live",
    method: "GET",
    path: "/admin/v1/live",
    summary: "List the requests in flight of all processes, the oldest first",
    query: liveQuerySchema,
    answers: { 200: liveListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { live } }, { query, by }) => ({
      status: 200,
      body: liveListView(await live.list(query, by)),
    }),
  }),
  route({
    id: "cancelLive",
    tag: "live",
    method: "POST",
    path: "/admin/v1/live/{request}/cancel",
    summary: "Cancel a request in flight: its client is told so and pays for the output delivered",
    params: ofRequest,
    answers: { 200: cancelledSchema },
    refusals: ["not_found", "conflict"],
    handle: async ({ operator: { live } }, { params, by }) => ({
      status: 200,
      body: cancelledView(await live.cancel(params.request, by)),
    }),
  }),
];
