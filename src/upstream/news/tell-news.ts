import { LONGEST_MESSAGE, MOST_NEWS, type NewsMessage } from "./read-news.ts";
import type { RouteNews } from "./route-news.ts";

export type TellNews = {
  /** Never waits, and never fails. */
  tell: (news: RouteNews) => void;
  close: () => void;
};

type Parts = {
  /** What this process calls itself. */
  from: string;
  send: (payload: string) => Promise<unknown>;
  elapsedMs: () => number;
  onSent?: (result: "sent" | "failed") => void;
};

/** One message in so long, whatever happens: at most four a second of a process, each with the newest of every route. */
const EVERY_MS = 250;
/** What could not be said by then is no news. */
const STALE_MS = 2_000;
const MOST_WAITING = 1_000;

/** Tells the other processes, beside requests and never within one. What cannot be sent is dropped: each has its own breaker. */
export function createTellNews({ from, send, elapsedMs, onSent = () => undefined }: Parts): TellNews {
  const waiting = new Map<string, { news: RouteNews; atMs: number }>();
  let timer: NodeJS.Timeout | null = null;
  let isSending = false;
  let closed = false;
  let sentAtMs = Number.NEGATIVE_INFINITY;

  function schedule(): void {
    if (closed || isSending || timer !== null || waiting.size === 0) return;
    timer = setTimeout(() => void flush(), Math.max(0, sentAtMs + EVERY_MS - elapsedMs())).unref();
  }

  async function flush(): Promise<void> {
    timer = null;
    const payload = take();
    if (payload === null) return;
    isSending = true;
    sentAtMs = elapsedMs();
    await send(payload).then(
      () => onSent("sent"),
      () => onSent("failed"),
    );
    isSending = false;
    schedule();
  }

  /** As much of what is waiting as one message carries; the rest goes with the next. */
  function take(): string | null {
    const message: NewsMessage = { v: 1, from, news: [] };
    let bytes = Buffer.byteLength(JSON.stringify(message));
    for (const [name, { news, atMs }] of waiting) {
      const fresh = atMs >= elapsedMs() - STALE_MS;
      bytes += fresh ? Buffer.byteLength(JSON.stringify(news)) + 1 : 0;
      if (bytes > LONGEST_MESSAGE || message.news.length === MOST_NEWS) break;
      waiting.delete(name);
      if (fresh) message.news.push(news);
    }
    return message.news.length === 0 ? null : JSON.stringify(message);
  }

  return {
    tell: (news) => {
      // The newest of a route stands; that it asked to be left alone says nothing about its breaker.
      const name = `${news.says === "limited" ? "limited" : "breaker"} ${news.routeId}`;
      waiting.delete(name);
      if (waiting.size < MOST_WAITING) waiting.set(name, { news, atMs: elapsedMs() });
      schedule();
    },
    close: () => {
      closed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
