import { setTimeout as pause } from "node:timers/promises";
import { LIVE, liveEnds, liveEventsQuery, liveList } from "../contract/live.ts";
import { type ReadAs, writtenQuestion } from "../wire/validate.ts";
import { type AskFor, type OpenEvents, queryOf } from "./ask-gateway.ts";
import { askOperations } from "./ask-operations.ts";

type Filter = Pick<ReadAs<typeof liveEventsQuery>, "limit"> & Partial<ReadAs<typeof liveEventsQuery>>;
type List = ReadAs<typeof liveList>;
type Ends = ReadAs<typeof liveEnds>;
type News = { list: List; ended: Ends["data"]; missed: number };

const AGAIN_MS = 1_000;
/** Ends that were told already are told again after a stream was opened anew. */
const MOST_TOLD = 5_000;
const NOTHING: List = { data: [], more: 0, processes: 0, silent: 0 };

/** What operators see of requests in flight, and do with them, through the admin listener. */
export const remoteLive = ({ ask, openEvents }: { ask: AskFor; openEvents: OpenEvents }) => ({
  ...askOperations(LIVE, ask),
  watch: async ({ limit, key = null, account = null, model = null, errors = false }: Filter) => {
    const query = queryOf(
      writtenQuestion(liveEventsQuery, { limit, key, account, model, errors }) as Parameters<typeof queryOf>[0],
    );
    const open = () => openEvents(`/live/events?${query}`);
    return newsFrom(await open(), open);
  },
});

type Events = Awaited<ReturnType<OpenEvents>>;

/** The gateway ends each stream after a minute; who watches on opens the next. What cannot be opened again ends the watching. */
async function* newsFrom(first: Events, open: () => Promise<Events>): AsyncGenerator<News> {
  const told = new Set<string>();
  for (let events = first; ; events = await open()) {
    let list = NOTHING;
    try {
      for await (const { name, data } of events) {
        if (name === "live") yield { list: (list = liveList.parse(data)), ended: [], missed: 0 };
        if (name === "finished") {
          const { data: ends, missed } = liveEnds.parse(data);
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
