import { area, curveStepAfter, line } from "d3-shape";
import type { ReactNode } from "react";
import { showMoment, utcMoment } from "../format/time.ts";
import type { Unit } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import type { Frame } from "./plot/frame.ts";
import { Plot } from "./plot/plot.tsx";
import { timeTicks, valueTicks } from "./plot/ticks.ts";

/** From this moment on it had this value. */
export type Step = { atMs: number; value: bigint; note?: string };

type Props = {
  title: string;
  lead?: ReactNode;
  steps: readonly Step[];
  untilMs: number;
  unit: Unit;
  height?: number;
  shown?: Shown;
  tools?: ReactNode;
  onPick?: ((index: number) => void) | undefined;
};

/** A balance: it keeps its value until something changes it. */
export function StepLine({ steps, untilMs, unit, height = 160, onPick, ...rest }: Props): ReactNode {
  const stops = steps.map(({ atMs }, index) => ({ from: atMs, to: steps[index + 1]?.atMs ?? untilMs }));
  const { ticks, top } = valueTicks(
    steps.reduce((most, { value }) => (value > most ? value : most), 0n),
    unit,
  );
  const last = steps.at(-1);
  const points = last ? [...steps, { ...last, atMs: untilMs }] : [];
  const table = {
    heads: ["From", unit.name, "What"],
    rows: steps.map(({ atMs, value, note = "" }) => [
      { show: showMoment(atMs), plain: new Date(atMs).toISOString() },
      { show: unit.show(value), plain: unit.plain(value) },
      { show: note, plain: note },
    ]),
  };
  return (
    <Chart {...rest} height={height} table={table}>
      <Plot
        label={`${rest.title} Arrow keys read it change by change.`}
        stops={stops}
        height={height}
        yTicks={ticks}
        xTicks={timeTicks(stops[0]?.from ?? 0, untilMs)}
        yDomain={[0, top]}
        onPick={onPick}
        readout={(index) => ({
          title: utcMoment(steps[index]?.atMs ?? 0),
          rows: [{ name: steps[index]?.note ?? unit.name, value: unit.show(steps[index]?.value ?? 0n) }],
        })}
      >
        {(frame, active) => (
          <Steps points={points} frame={frame} chosen={active === null ? undefined : steps[active]} />
        )}
      </Plot>
    </Chart>
  );
}

type Marks = { points: readonly Step[]; frame: Frame; chosen: Step | undefined };

function Steps({ points, frame: { x, y, height: floor }, chosen }: Marks): ReactNode {
  const at = ({ atMs }: Step): number => x(atMs);
  const to = ({ value }: Step): number => y(Number(value));
  return (
    <>
      <path
        d={area<Step>().x(at).y0(floor).y1(to).curve(curveStepAfter)(points) ?? ""}
        fill="var(--series-1)"
        fillOpacity={0.1}
      />
      <path
        d={line<Step>().x(at).y(to).curve(curveStepAfter)(points) ?? ""}
        fill="none"
        stroke="var(--series-1)"
        strokeWidth={1.6}
      />
      {chosen && (
        <circle
          cx={at(chosen)}
          cy={to(chosen)}
          r={3.5}
          fill="var(--surface)"
          stroke="var(--series-1)"
          strokeWidth={1.6}
        />
      )}
    </>
  );
}
