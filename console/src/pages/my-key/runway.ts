import { DAY_MS } from "../../format/time.ts";

/** How long what is available lasts at the pace of the last days. */
export type Runway =
  /** Nothing was used, so there is no pace to go by. */
  | { kind: "unused" }
  | { kind: "empty" }
  /** `perDay`: the average that it is computed with. */
  | { kind: "lasts"; days: number; perDay: bigint }
  /** It renews before it is used up. */
  | { kind: "renews"; perDay: bigint };

type Given = {
  available: bigint;
  /** What was used between these two times. */
  used: bigint;
  fromMs: number;
  toMs: number;
  renewsAtMs: number | null;
};

/** A pace needs a day at least: an hour of tests says nothing about a week. */
export function runwayOf({ available, used, fromMs, toMs, renewsAtMs }: Given): Runway {
  if (available <= 0n) return { kind: "empty" };
  if (used <= 0n) return { kind: "unused" };
  const spanMs = BigInt(Math.max(DAY_MS, Math.round(toMs - fromMs)));
  const perDay = (used * BigInt(DAY_MS)) / spanMs;
  const lastsMs = Number((available * spanMs) / used);
  if (renewsAtMs !== null && toMs + lastsMs > renewsAtMs) return { kind: "renews", perDay };
  return { kind: "lasts", days: lastsMs / DAY_MS, perDay };
}

/** Rounded down: nothing lasts longer than it is said to. */
export const showDays = (days: number): string => {
  if (days < 1) return "less than a day";
  const whole = Math.floor(days);
  return whole >= 1000 ? "more than 999 days" : `${whole} ${whole === 1 ? "day" : "days"}`;
};
