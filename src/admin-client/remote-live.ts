import { setTimeout as pause } from "node:timers/promises";
import { cancelledSchema, liveEndsSchema, liveListSchema } from "../wire/admin/live.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type AskFor, type OpenEvents, queryOf } from "./ask-gateway.ts";

type Filter = {
  limit: number;
  key?: string | null;
  account?: string | null;
  model?: string | null;
  errors?: boolean;
};
type List = ReadAs<typeof liveListSchema>;
type Ends = ReadAs<typeof liveEndsSchema>;
type News = { list: List; ended: Ends["data"]; missed: number };

const AGAIN_MS = 1_000;
/** Ends that were told already are told again after a stream was opened anew. */
const MOST_TOLD = 5_000;
const NOTHING: List = { data: [], more: 0, processes: 0, silent: 0 };

/** What operators see of requests in flight, and do with them, through the admin listener. */
export const remoteLive = ({ ask, openEvents }: { ask: AskFor; openEvents: OpenEvents }) => ({
  list: ({ limit, key, account, model }: Filter) =>
    ask(liveListSchema, "GET", `/live?${queryOf({ limit, key, account, model })}`),
  watch: async ({ errors = false, ...filter }: Filter) => {
    const open = () => openEvents(`/live/events?${queryOf({ ...filter, errors: String(errors) })}`);
    return newsFrom(await open(), open);
  },
  cancel: (request: string) => ask(cancelledSchema, "POST", `/live/${encodeURIComponent(request)}/cancel`),
});

type Events = Awaited<ReturnType<OpenEvents>>;

/** The gateway ends each stream after a minute; who watches on opens the next. What cannot be opened again ends the watching. */
async function* newsFrom(first: Events, open: () => Promise<Events>): AsyncGenerator<News> {
  const told = new Set<string>();
  for (let events = first; ; events = await open()) {
    let list = NOTHING;
    try {
      for await (const { name, data } of events) {
        if (name === "live") yield { list: (list = liveListSchema.parse(data)), ended: [], missed: 0 };
        if (name === "finished") {
          const { data: ends, missed } = liveEndsSchema.parse(data);
          const ended = ends.filter(({ requestId }) => !told.has(requestId));
          for (const { requestId } of ended) told.add(requestId);
          for (const id of told) {
            if (told.size <= MOST_TOLD) break;
            told.delete(id);
          }
          yield { list, ended, missed };
        }
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await pause(AGAIN_MS);
  }
}
