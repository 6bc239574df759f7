import { LIVE, liveEvents, liveEventsQuery, liveEventsText } from "../../contract/live.ts";
import { eventStream } from "../event-stream.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const DESCRIPTION =
  "Every second a `live` event, whose data is what `GET /admin/v1/live` returns, and, if requests have ended, a `finished` event with `data` and `missed`. The stream ends after a minute; ask again. A process serves at most 20 of these streams, 5 to one person, and drops a client that reads nothing for 10 seconds.";

const watching = route({
  id: "watchLive",
  tag: "live",
  method: "GET",
  path: "/admin/v1/live/events",
  summary: "Watch requests as server-sent events: those in flight, and those that ended",
  description: DESCRIPTION,
  query: liveEventsQuery,
  answers: { 200: liveEvents },
  media: "text/event-stream",
  refusals: ["invalid_request", "not_found"],
  handle: async ({ operator: { live }, closing }, { query, by }) => ({
    status: 200,
    body: eventStream(await live.watch(query, by), { textOf: (news) => liveEventsText(news, query), closing }),
  }),
});

/** The list, the stream, cancelling. */
export const liveRoutes: readonly AdminRoute[] = serveOperations({
  tag: "live",
  operations: LIVE,
  of: ({ live }) => live,
}).toSpliced(1, 0, watching);
