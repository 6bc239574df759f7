import type { ReactNode } from "react";
import type { Frame, Tick } from "./frame.ts";

/** Hairlines at the values, labels at the left and below. A label that would be cut moves inside. */
export const Axes = ({
  frame,
  yTicks,
  xTicks,
}: {
  frame: Frame;
  yTicks: readonly Tick[];
  xTicks: readonly Tick[];
}): ReactNode => (
  <g className="text-fine" fill="var(--ink-3)" aria-hidden="true">
    {yTicks.map(({ at, label }) => (
      <g key={at} transform={`translate(0 ${Math.round(frame.y(at)) + 0.5})`}>
        <line x2={frame.width} stroke="var(--line)" />
        <text x={-8} dy="0.32em" textAnchor="end">
          {label}
        </text>
      </g>
    ))}
    {xTicks.map(({ at, label }) => (
      <text key={at} x={frame.x(at)} y={frame.height + 15} textAnchor={anchorAt(frame.x(at), frame.width)}>
        {label}
      </text>
    ))}
  </g>
);

function anchorAt(x: number, width: number): "start" | "middle" | "end" {
  if (x < 20) return "start";
  return x > width - 20 ? "end" : "middle";
}
