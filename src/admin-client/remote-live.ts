import { cancelledSchema, liveListSchema } from "../wire/admin/live.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

/** What operators see of requests in flight, and do with them, through the admin listener. */
export const remoteLive = ({ ask }: { ask: AskFor }) => ({
  list: ({ limit }: { limit: number }) => ask(liveListSchema, "GET", `/live?${queryOf({ limit })}`),
  cancel: (request: string) => ask(cancelledSchema, "POST", `/live/${encodeURIComponent(request)}/cancel`),
});
