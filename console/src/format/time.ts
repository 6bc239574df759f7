import { groupDigits } from "./money.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const LOCAL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** 16 Nov 2026, 18:04:11, where the reader is. */
export const showMoment = (atMs: number): string => LOCAL.format(atMs);

/** 2026-11-16 17:04:11 UTC, as logs write it. */
export const utcMoment = (atMs: number): string => `${new Date(atMs).toISOString().replace("T", " ").slice(0, 19)} UTC`;

/** What tells one bucket of a chart from the next: the day, or the time of the day. */
export const showBucket = (atMs: number, stepMs: number): string =>
  stepMs >= DAY_MS ? DAY.format(atMs) : `${DAY.format(atMs)}, ${CLOCK.format(atMs)}`;

export const showTick = (atMs: number, spanMs: number): string =>
  spanMs > 3 * DAY_MS || isMidnight(atMs) ? DAY.format(atMs) : CLOCK.format(atMs);

const isMidnight = (atMs: number): boolean => {
  const at = new Date(atMs);
  return at.getHours() === 0 && at.getMinutes() === 0;
};

const AGES: readonly [number, string][] = [
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
  [1000, "s"],
];

/** 3 min ago, in 2 d. Rounded down: nothing is called older than it is. */
export function showAge(atMs: number, nowMs: number): string {
  const away = Math.abs(nowMs - atMs);
  const [size, name] = AGES.find(([from]) => away >= from) ?? [1000, "s"];
  const words = `${Math.floor(away / size)} ${name}`;
  if (away < 1000) return "now";
  return atMs > nowMs ? `in ${words}` : `${words} ago`;
}

/** A duration in microseconds: 84 µs, 412 ms, 1.24 s, 3 min 20 s. */
export function showDuration(us: bigint): string {
  const ms = Number(us) / 1000;
  if (us === 0n) return "0 ms";
  if (ms < 1) return `${us} µs`;
  if (ms < 10) return `${trim(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${trim((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const seconds = Math.floor((ms % MINUTE_MS) / 1000);
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

export const exactDuration = (us: bigint): string =>
  `${groupDigits(us / 1000n)}.${(us % 1000n).toString().padStart(3, "0")} ms`;

const trim = (digits: string): string => (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits);
