import { readNews } from "../../upstream/news/read-news.ts";
import { type HeardNews, ROUTES_CHANNEL, type RouteNews } from "../../upstream/news/route-news.ts";
import { createTellNews } from "../../upstream/news/tell-news.ts";
import type { ProcessParts } from "./process-parts.ts";

/** What processes tell each other of routes, over the database that all of them use. */
export type ShareRoutes = {
  tell: (news: RouteNews) => void;
  /** A message of any process, this one included. */
  notified: (payload: string) => void;
  /** Who is to be told what the others say. */
  onHeard: (heard: (news: HeardNews) => void) => void;
  close: () => void;
};

export function shareRoutes({ operatorDatabase, clock, metrics }: ProcessParts, processId: string): ShareRoutes {
  let heard: (news: HeardNews) => void = () => undefined;
  const { tell, close } = createTellNews({
    from: processId,
    send: (payload) => operatorDatabase.query("select pg_notify($1, $2)", [ROUTES_CHANNEL, payload]),
    elapsedMs: clock.elapsedMs,
    onSent: metrics.routeNews,
  });

  return {
    tell,
    close,
    notified: (payload) => {
      const said = readNews(payload);
      if (said === null) return metrics.routeNews("unreadable");
      const ofOthers = said.filter(({ from }) => from !== processId);
      if (ofOthers.length > 0) metrics.routeNews("heard");
      for (const news of ofOthers) heard(news);
    },
    onHeard: (listener) => void (heard = listener),
  };
}
