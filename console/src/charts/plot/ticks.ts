import { scaleLinear } from "d3-scale";
import { DAY_MS, HOUR_MS, showTick } from "../../format/time.ts";
import type { Unit } from "../../format/unit.ts";
import type { Tick } from "./frame.ts";

const PIXELS_PER_LABEL = 88;
const MINUTE_MS = 60_000;
const INTERVALS_MS = [
  ...[5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY_MS),
];

/** Round values from zero up to at least the highest. */
export function valueTicks(highest: bigint, unit: Unit, count = 4): { ticks: Tick[]; top: number } {
  const scale = scaleLinear([0, Math.max(1, Number(highest))], [0, 1]).nice(count);
  const ticks = scale.ticks(count).filter((at) => Number.isInteger(at));
  return { ticks: ticks.map((at) => ({ at, label: unit.short(BigInt(at)) })), top: scale.domain()[1] ?? 1 };
}

/** Round moments where the reader is, as many as have room. Midnights come first, because they say which day it is. */
export const timeTicks =
  (fromMs: number, toMs: number) =>
  (width: number): Tick[] => {
    const most = Math.max(2, Math.floor(width / PIXELS_PER_LABEL));
    const interval = INTERVALS_MS.find((each) => (toMs - fromMs) / each <= most) ?? 28 * DAY_MS;
    const offsetMs = new Date(fromMs).getTimezoneOffset() * MINUTE_MS;
    const first = Math.ceil((fromMs - offsetMs) / interval) * interval + offsetMs;
    const count = Math.floor((toMs - first) / interval) + 1;
    return Array.from({ length: Math.max(0, count) }, (_tick, index) => first + index * interval).map((at) => ({
      at,
      label: showTick(at, toMs - fromMs),
    }));
  };
