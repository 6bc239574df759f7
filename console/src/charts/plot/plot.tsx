import { scaleLinear } from "d3-scale";
import { type ReactNode, useState } from "react";
import { Axes } from "./axes.tsx";
import type { Frame, Stop, Tick } from "./frame.ts";
import { PlotStops } from "./plot-stops.tsx";
import { type Readout, ReadoutBox } from "./readout.tsx";
import { useWidth } from "./use-width.ts";

type Props = {
  label: string;
  stops: readonly Stop[];
  height: number;
  yTicks: readonly Tick[];
  xTicks: (width: number) => readonly Tick[];
  /** From the lowest to the highest place; a logarithm is taken before. */
  yDomain: readonly [number, number];
  readout: (index: number) => Readout;
  onPick?: ((index: number) => void) | undefined;
  onRange?: ((from: number, to: number) => void) | undefined;
  children: (frame: Frame, active: number | null) => ReactNode;
};

const AXIS_HEIGHT = 20;
const TOP = 8;
const CHARACTER_WIDTH = 6.3;

/** Axes, a crosshair, a readout and the keyboard: all that charts over an axis have in common. */
export function Plot({
  label,
  stops,
  height,
  yTicks,
  xTicks,
  yDomain,
  readout,
  onPick,
  onRange,
  children,
}: Props): ReactNode {
  const [outer, ref] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const left = Math.ceil(Math.max(0, ...yTicks.map((tick) => tick.label.length)) * CHARACTER_WIDTH) + 10;
  const inside = { width: Math.max(0, outer - left), height: height - AXIS_HEIGHT - TOP };
  const x = scaleLinear([stops[0]?.from ?? 0, stops.at(-1)?.to ?? 1], [0, inside.width]);
  const y = scaleLinear([...yDomain], [inside.height, 0]);
  const frame = { ...inside, x, y };
  const stop = active === null ? undefined : stops[active];
  return (
    <div ref={ref} className="relative" style={{ height }}>
      {outer > 0 && (
        <svg width={outer} height={height} role="group" aria-label={label} className="block overflow-visible">
          <g transform={`translate(${left} ${TOP})`}>
            <Axes frame={frame} yTicks={yTicks} xTicks={xTicks(inside.width)} />
            {stop && (
              <rect
                x={x(stop.from)}
                width={Math.max(1, x(stop.to) - x(stop.from))}
                height={inside.height}
                fill="var(--ink)"
                opacity={0.06}
              />
            )}
            {children(frame, active)}
            <PlotStops
              stops={stops}
              frame={frame}
              readout={readout}
              active={active}
              onActive={setActive}
              onPick={onPick}
              onRange={onRange}
            />
          </g>
        </svg>
      )}
      {stop && active !== null && (
        <ReadoutBox readout={readout(active)} x={left + (x(stop.from) + x(stop.to)) / 2} width={outer} />
      )}
    </div>
  );
}
