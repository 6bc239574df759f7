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
  const iterator = news[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | null = null;

  /** From when something is given until more is asked for. */
  function* given(text: string): Generator<string> {
    timer = setTimeout(() => stalled.abort(), STALLS_MS).unref();
    yield text;
    clearTimeout(timer);
  }

  async function* events(): AsyncGenerator<string> {
    yield* given(RETRY);
    for await (const each of { [Symbol.asyncIterator]: () => iterator }) {
      if (ending.aborted) return;
      yield* given(textOf(each));
    }
  }

  const stream = Readable.from(events(), { objectMode: false, highWaterMark: WAITING_BYTES, signal: stalled.signal });
  // Whoever is dropped is no error of ours.
  stream.on("error", () => undefined);
  // It may be closed before anything was asked for, and what was never begun does not end by itself.
  stream.on("close", () => {
    clearTimeout(timer ?? undefined);
    void iterator.return?.().catch(() => undefined);
  });
  return stream;
}
