import { area, curveMonotoneX, line } from "d3-shape";
import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";

type Props = { values: readonly bigint[]; unit: Unit; label: string; width?: number; height?: number };

/** The course of a number in the room of a word. Its highest and its last value are said to those who do not see it. */
export function Sparkline({ values, unit, label, width = 72, height = 20 }: Props): ReactNode {
  const top = values.reduce((most, one) => (one > most ? one : most), 1n);
  const x = (_value: bigint, index: number): number => (index / Math.max(1, values.length - 1)) * (width - 4) + 2;
  const y = (value: bigint): number => height - 2 - (Number(value) / Number(top)) * (height - 4);
  const last = values.at(-1) ?? 0n;
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: highest ${unit.show(top)}, last ${unit.show(last)}`}
      className="shrink-0"
    >
      <path
        d={area<bigint>().x(x).y0(height).y1(y).curve(curveMonotoneX)([...values]) ?? ""}
        fill="var(--series-1)"
        fillOpacity={0.12}
      />
      <path
        d={line<bigint>().x(x).y(y).curve(curveMonotoneX)([...values]) ?? ""}
        fill="none"
        stroke="var(--series-1)"
        strokeWidth={1.3}
      />
      <circle cx={x(last, values.length - 1)} cy={y(last)} r={1.8} fill="var(--series-1)" />
    </svg>
  );
}
