import { useEffect, useState } from "react";
import { type LiveView, NOTHING_LIVE, watchLive } from "./live-feed.ts";

/** So often at most is the page drawn, however many events come. */
const DRAWN_EVERY_MS = 500;

/** What is in flight now. Paused, what was seen last stays, and the stream is closed. */
export function useLive(query: string, isPaused: boolean): LiveView {
  const [view, setView] = useState<LiveView>(NOTHING_LIVE);
  useEffect(() => {
    if (isPaused) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchLive({
      open: () => new EventSource(`/admin/v1/live/events?${query}`),
      onView: setView,
      later: (draw) => void (timer = setTimeout(draw, DRAWN_EVERY_MS)),
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [query, isPaused]);
  return view;
}
