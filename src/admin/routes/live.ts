import {
  cancelledSchema,
  cancelledView,
  liveEventsQuerySchema,
  liveEventsSchema,
  liveEventsText,
  liveListSchema,
  liveListView,
  liveQuerySchema,
} from "../../wire/admin/live.ts";
import { ofRequest } from "../../contract/quarantine.ts";
import { eventStream } from "../event-stream.ts";
import { type AdminRoute, route } from "../route.ts";

const DESCRIPTION =
  "Every second a `live` event, whose data is what `GET /admin/v1/live` returns, and, if requests have ended, a `finished` event with `data` and `missed`. The stream ends after a minute; ask again. A process serves at most 20 of these streams, 5 to one person, and drops a client that reads nothing for 10 seconds.";

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
    id: "watchLive",
    tag: "live",
    method: "GET",
    path: "/admin/v1/live/events",
    summary: "Watch requests as server-sent events: those in flight, and those that ended",
    description: DESCRIPTION,
    query: liveEventsQuerySchema,
    answers: { 200: liveEventsSchema },
    media: "text/event-stream",
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { live }, closing }, { query, by }) => ({
      status: 200,
      body: eventStream(await live.watch(query, by), { textOf: (news) => liveEventsText(news, query), closing }),
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
