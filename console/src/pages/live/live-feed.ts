import type { AnswerOf } from "../../api/call.ts";
import type { LiveRequest } from "../../api/generated/admin.ts";

export type LiveList = AnswerOf<"GET /admin/v1/live">;

/** A request that ended while one watched. */
export type Ended = Pick<
  LiveRequest,
  "request_id" | "key_prefix" | "account_path" | "model" | "provider" | "first_byte_ms"
> & {
  at: string;
  status: number;
  code: string | null;
  outcome: string | null;
  input_tokens: number;
  output_tokens: number;
  charged: LiveRequest["cost"];
  took_ms: number;
};

export type LiveState = "connecting" | "open" | "lost";

export type LiveView = {
  state: LiveState;
  list: LiveList | null;
  /** Newest first, and no more than are kept. */
  ended: readonly Ended[];
  /** Requests that ended and were not told, because too many did. */
  missed: number;
};

export const NOTHING_LIVE: LiveView = { state: "connecting", list: null, ended: [], missed: 0 };

/** The part of EventSource that is used. */
export type Source = Pick<EventSource, "close" | "readyState"> & {
  addEventListener: (name: string, hear: (event: { data?: unknown }) => void) => void;
};

type Parts = {
  open: () => Source;
  onView: (view: LiveView) => void;
  /** Calls back when it is time to draw, and not more often than people can read. */
  later: (draw: () => void) => void;
};

const CLOSED = 2;
const MOST_ENDED = 200;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/**
 * One stream of events. However many come, only the last list is read, and only when it is drawn. The gateway ends the stream every
 * minute, and browsers ask again by themselves; where they give up, because the gateway refused, it is asked again more and more rarely.
 */
export function watchLive({ open, onView, later }: Parts): () => void {
  let view = NOTHING_LIVE;
  let unread: string | null = null;
  let news: string[] = [];
  let isWaiting = false;
  let waitMs = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: Source | null = null;

  const draw = (): void => {
    isWaiting = false;
    const ends = news.map((text) => JSON.parse(text) as { data: Ended[]; missed: number });
    view = {
      ...view,
      list: unread === null ? view.list : (JSON.parse(unread) as LiveList),
      ended: ends.reduce<readonly Ended[]>(
        (all, { data }) => [...data.toReversed(), ...all].slice(0, MOST_ENDED),
        view.ended,
      ),
      missed: ends.reduce((sum, { missed }) => sum + missed, view.missed),
    };
    [unread, news] = [null, []];
    onView(view);
  };
  const drawSoon = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    later(draw);
  };
  const setState = (state: LiveState): void => {
    if (view.state === state) return;
    view = { ...view, state };
    drawSoon();
  };

  const connect = (): void => {
    source = open();
    source.addEventListener("open", () => {
      waitMs = FIRST_WAIT_MS;
      setState("open");
    });
    source.addEventListener("live", ({ data }) => {
      unread = String(data);
      drawSoon();
    });
    source.addEventListener("finished", ({ data }) => {
      // A browser that does not draw, such as one in a hidden tab, keeps the last of them.
      news = [...news.slice(-MOST_ENDED), String(data)];
      drawSoon();
    });
    source.addEventListener("error", () => {
      if (source?.readyState !== CLOSED) return;
      setState("lost");
      timer = setTimeout(connect, waitMs);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
