import type { Token } from "./call-convention.ts";

/** A token is exchanged for the next one this long before it ends, or after four fifths of a short life. */
const AHEAD_MS = 300_000;
const AHEAD_SHARE = 0.2;
/** An exchange that has not answered by then is given up, so that the next call begins another. */
const TIMEOUT_MS = 10_000;
/** Between two tries while the present token still holds. */
const RETRY_MS = 5_000;

type Parts = { exchange: () => Promise<Token>; elapsedMs: () => number };

/**
 * Keeps a token until it ends: a promise only while there is none that holds. However many ask, one exchange is under way; while
 * the present token holds nobody waits for it, nor hears that it failed.
 */
export function createKeepToken({ exchange, elapsedMs }: Parts): () => string | Promise<string> {
  let kept: { secret: string; renewAtMs: number; endsAtMs: number } | null = null;
  let underway: Promise<string> | null = null;

  async function renew(): Promise<string> {
    const askedAtMs = elapsedMs();
    const { secret, lastsMs } = await within(TIMEOUT_MS, exchange);
    // What is no length of time is none: the token serves those who wait for it, and nobody after them.
    const endsAtMs = askedAtMs + (lastsMs > 0 ? lastsMs : 0);
    kept = { secret, renewAtMs: endsAtMs - Math.min(AHEAD_MS, lastsMs * AHEAD_SHARE), endsAtMs };
    return secret;
  }

  /** The end of it is heard a moment after `underway` was set, however soon it comes. */
  function begin(): Promise<string> {
    return (underway ??= renew().finally(() => (underway = null)));
  }

  return () => {
    const nowMs = elapsedMs();
    if (kept === null || nowMs >= kept.endsAtMs) return begin();
    if (nowMs >= kept.renewAtMs) {
      kept.renewAtMs = nowMs + RETRY_MS;
      begin().catch(() => undefined);
    }
    return kept.secret;
  };
}

async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no token within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
