import type { Clock } from "../../core/clock.ts";

/** Streams of a route begin much later than usual: after so long, and after so long usually. */
export type Slowness = { beginsMs: number; usualMs: number };

/** The middle one of the last so many streams counts: one long prompt is no trouble. */
const LATEST = 7;
/** So many must have been seen before anything is usual. */
const ENOUGH = 20;
/** Slow is so many times later than usual and at least so much later; it is over below the smaller number. */
const SLOW = { times: 5, leastMs: 500, over: 2.5 };
/** One stream moves what is usual by no more than one of this many times the usual. */
const MOST_TIMES = 2;
/** So many that wait for their first byte, and have waited that long, say it before any is answered. */
const WAITING = 3;
/** What is older than this counts half, so that another pace that lasts becomes the usual one. */
const HALF_LIFE_MS = 1_800_000;
/** Of a route that is not asked, nothing is known after so long. */
const FORGOTTEN_MS = 60_000;

/** How late the streams of a route begin, beside how late they usually do. Plain responses tell nothing: they are as late as they are long. */
export class RouteSlowness {
  readonly #elapsedMs: Clock["elapsedMs"];
  readonly #onChange: (slowness: Slowness | null) => void;
  readonly #latest: number[] = [];
  #sum = 0;
  #weight = 0;
  #seen = 0;
  #seenAtMs = 0;
  #weighedAtMs = 0;
  #slowness: Slowness | null = null;

  constructor(elapsedMs: Clock["elapsedMs"], onChange: (slowness: Slowness | null) => void) {
    this.#elapsedMs = elapsedMs;
    this.#onChange = onChange;
  }

  add(waitedMs: number): void {
    const usualMs = this.#weight === 0 ? waitedMs : this.#sum / this.#weight;
    if (this.#latest.push(waitedMs) > LATEST) this.#latest.shift();
    if (this.#seen >= ENOUGH) this.#judge(usualMs);
    const nowMs = this.#elapsedMs();
    const kept = 2 ** ((this.#weighedAtMs - nowMs) / HALF_LIFE_MS);
    this.#sum = this.#sum * kept + Math.min(waitedMs, MOST_TIMES * usualMs);
    this.#weight = this.#weight * kept + 1;
    this.#seen += 1;
    this.#weighedAtMs = nowMs;
    this.#seenAtMs = nowMs;
  }

  /** Streams that wait for their first byte, oldest first, while none was answered. */
  look(waiting: Iterable<{ beganAtMs: number }>): void {
    if (this.#slowness !== null || this.#seen < ENOUGH) return;
    const nowMs = this.#elapsedMs();
    const usualMs = this.#sum / this.#weight;
    let late = 0;
    for (const { beganAtMs } of waiting) {
      const waitedMs = nowMs - beganAtMs;
      if (!isLate(waitedMs, usualMs, SLOW.times)) return;
      late += 1;
      if (late < WAITING) continue;
      this.#seenAtMs = nowMs;
      return this.#becomes({ beginsMs: waitedMs, usualMs });
    }
  }

  now(): Slowness | null {
    return this.#elapsedMs() - this.#seenAtMs > FORGOTTEN_MS ? null : this.#slowness;
  }

  #judge(usualMs: number): void {
    const middleMs = this.#latest.toSorted((a, b) => a - b)[this.#latest.length >> 1] ?? 0;
    const wasSlow = this.#slowness !== null;
    const beginsMs = wasSlow ? Math.max(middleMs, this.#latest.at(-1) ?? 0) : middleMs;
    const isSlow = isLate(beginsMs, usualMs, wasSlow ? SLOW.over : SLOW.times);
    this.#becomes(isSlow ? { beginsMs, usualMs } : null);
  }

  #becomes(slowness: Slowness | null): void {
    const isNews = (slowness === null) !== (this.#slowness === null);
    this.#slowness = slowness;
    if (isNews) this.#onChange(slowness);
  }
}

const isLate = (waitedMs: number, usualMs: number, times: number): boolean =>
  waitedMs >= times * usualMs && waitedMs - usualMs >= SLOW.leastMs;
