import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";
import { showAge, showMoment, utcMoment } from "../format/time.ts";

/** A quantity: rounded for the eye, every digit on hover. */
export const Amount = ({ value, unit, named = false }: { value: bigint; unit: Unit; named?: boolean }): ReactNode => (
  <span title={`${unit.exact(value)} ${unit.name}`} className="whitespace-nowrap">
    {unit.show(value)}
    {named && <span className="text-ink-3"> {unit.name}</span>}
  </span>
);

/** A moment where the reader is; in UTC on hover. With `nowMs`, how long ago. */
export const Moment = ({ atMs, nowMs }: { atMs: number; nowMs?: number }): ReactNode => (
  <time
    dateTime={new Date(atMs).toISOString()}
    title={`${showMoment(atMs)} · ${utcMoment(atMs)}`}
    className="whitespace-nowrap"
  >
    {nowMs === undefined ? showMoment(atMs) : showAge(atMs, nowMs)}
  </time>
);
