import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export type EventLoopLag = { p50Ms: number; p99Ms: number; mostMs: number; overSeconds: number };

const RESOLUTION_MS = 20;
const SPAN_MS = 60_000;
const NANOS = 1e6;

/**
 * How late the event loop is, over the last full minute; before that, since the start. A timer of the histogram itself is late by its
 * resolution, which is taken off.
 */
export function watchEventLoop(nowMs: () => number): { read: () => EventLoopLag; stop: () => void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let sinceMs = nowMs();
  let last: EventLoopLag | null = null;
  const lag = (nanos: number): number => Math.max(0, Math.round((nanos / NANOS - RESOLUTION_MS) * 100) / 100) || 0;
  const look = (): EventLoopLag => ({
    p50Ms: lag(histogram.percentile(50)),
    p99Ms: lag(histogram.percentile(99)),
    mostMs: lag(histogram.max),
    overSeconds: Math.round((nowMs() - sinceMs) / 1_000),
  });
  const timer = setInterval(() => {
    last = look();
    histogram.reset();
    sinceMs = nowMs();
  }, SPAN_MS).unref();
  return {
    read: () => last ?? look(),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const BUSY_SHARE = 0.9;
const BUSY_SPAN_MS = 25;

/** Whether the event loop had hardly a moment to spare, over the last span of a few milliseconds or the one before it. */
export function watchBusy(nowMs: () => number): () => boolean {
  let sinceMs = nowMs();
  let since = performance.eventLoopUtilization();
  let busy = false;
  return () => {
    if (nowMs() - sinceMs < BUSY_SPAN_MS) return busy;
    const now = performance.eventLoopUtilization();
    busy = performance.eventLoopUtilization(now, since).utilization > BUSY_SHARE;
    since = now;
    sinceMs = nowMs();
    return busy;
  };
}
