import { Readable } from "node:stream";

type Options<News> = {
  textOf: (news: News) => string;
  /** The listener closes. */
  closing: AbortSignal;
};

/** A stream ends after this, and its client asks again: so a person who is removed, or loses a role, sees no more than that. */
const LASTS_MS = 60_000;
/** Who takes nothing for so long is dropped. */
const STALLS_MS = 10_000;
/** Nothing is asked for while anything waits to be taken. */
const WAITING_BYTES = 1;
/** How long clients wait before they ask again. */
const RETRY = "retry: 1000\n\n";

/** Server-sent events. News is asked for only when the last of it was taken, so that nothing piles up for a slow reader. */
export function eventStream<News>(news: AsyncIterable<News>, { textOf, closing }: Options<News>): Readable {
  const ending = AbortSignal.any([closing, AbortSignal.timeout(LASTS_MS)]);
  const stalled = new AbortController();
  let timer: NodeJS.Timeout | null = null;

  async function* events(): AsyncGenerator<string> {
    yield RETRY;
    for await (const each of news) {
      if (ending.aborted) return;
      timer = setTimeout(() => stalled.abort(), STALLS_MS).unref();
      yield textOf(each);
      clearTimeout(timer);
    }
  }

  const stream = Readable.from(events(), { objectMode: false, highWaterMark: WAITING_BYTES, signal: stalled.signal });
  // Whoever is dropped is no error of ours.
  stream.on("error", () => undefined);
  stream.on("close", () => clearTimeout(timer ?? undefined));
  return stream;
}
