import { area, curveMonotoneX, stack } from "d3-shape";
import type { ReactNode } from "react";
import { showBucket } from "../format/time.ts";
import type { Unit } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { Legend } from "./plot/legend.tsx";
import type { Frame } from "./plot/frame.ts";
import { Plot } from "./plot/plot.tsx";
import { type Buckets, colourOf, largestSeries, type Series, seriesTable, stackOf, sumOf } from "./series.ts";
import { timeTicks, valueTicks } from "./plot/ticks.ts";

type Props = {
  title: string;
  lead?: ReactNode;
  buckets: Buckets;
  series: readonly Series[];
  unit: Unit;
  shape?: "bars" | "area";
  height?: number;
  shown?: Shown;
  tools?: ReactNode;
  /** A colour for each series in place of the usual ones: outcomes have colours of their own. */
  colours?: readonly string[];
  onPick?: ((fromMs: number, toMs: number) => void) | undefined;
  onPickSeries?: ((id: string) => void) | undefined;
  onRange?: ((fromMs: number, toMs: number) => void) | undefined;
};

/** How much of each over time, one standing on the other: bars for amounts of a span, an area for what goes on. */
export function StackedChart({
  buckets,
  unit,
  shape = "bars",
  height = 220,
  colours,
  onPick,
  onPickSeries,
  onRange,
  ...rest
}: Props): ReactNode {
  const series = colours ? rest.series : largestSeries(rest.series);
  const { startsMs, stepMs } = buckets;
  const colour = (place: number): string => colours?.[place] ?? colourOf(series[place] ?? {}, place);
  const stacked = stackOf(series, startsMs.length);
  const tops = stacked.map((column) => column.at(-1)?.to ?? 0n);
  const { ticks, top } = valueTicks(
    tops.reduce((most, one) => (one > most ? one : most), 0n),
    unit,
  );
  const stops = startsMs.map((from) => ({ from, to: from + stepMs }));
  const readout = (index: number) => ({
    title: showBucket(startsMs[index] ?? 0, stepMs),
    rows: series
      .map(({ name, values }, place) => ({ name, amount: values[index] ?? 0n, colour: colour(place) }))
      .filter(({ amount }) => amount > 0n)
      .map(({ amount, ...row }) => ({ ...row, value: unit.show(amount) })),
    ...(series.length > 1 && { total: unit.show(tops[index] ?? 0n) }),
  });
  const items = series.map(({ id, name, values }, place) => ({
    id,
    name,
    colour: colour(place),
    value: unit.short(sumOf(values)),
  }));
  return (
    <Chart
      {...rest}
      height={height}
      table={seriesTable(buckets, series, unit)}
      legend={series.length > 1 && <Legend items={items} onPick={onPickSeries} />}
    >
      <Plot
        label={`${rest.title} Arrow keys read it bucket by bucket.`}
        stops={stops}
        height={height}
        yTicks={ticks}
        xTicks={timeTicks(stops[0]?.from ?? 0, stops.at(-1)?.to ?? 1)}
        yDomain={[0, top]}
        readout={readout}
        onPick={onPick && ((index) => onPick(stops[index]?.from ?? 0, stops[index]?.to ?? 0))}
        onRange={onRange}
      >
        {(frame) =>
          shape === "bars" ? (
            <Bars stacked={stacked} starts={startsMs} stepMs={stepMs} frame={frame} colour={colour} />
          ) : (
            <Areas series={series} starts={startsMs} stepMs={stepMs} frame={frame} colour={colour} />
          )
        }
      </Plot>
    </Chart>
  );
}

type Marks = { starts: readonly number[]; stepMs: number; frame: Frame; colour: (place: number) => string };

function Bars({ stacked, starts, stepMs, frame, colour }: Marks & { stacked: ReturnType<typeof stackOf> }): ReactNode {
  const column = frame.x(starts[0] ?? 0) - frame.x((starts[0] ?? 0) - stepMs);
  const gap = column > 8 ? 2 : column > 3 ? 1 : 0;
  return stacked.map((parts, index) => (
    <g key={starts[index]} transform={`translate(${frame.x(starts[index] ?? 0) + gap / 2} 0)`}>
      {parts.map(({ from, to }, place) => {
        const [bottom, top] = [frame.y(Number(from)), frame.y(Number(to))];
        return (
          to > from && (
            <rect key={place} y={top} width={Math.max(0.5, column - gap)} height={bottom - top} fill={colour(place)} />
          )
        );
      })}
    </g>
  ));
}

function Areas({ series, starts, stepMs, frame, colour }: Marks & { series: readonly Series[] }): ReactNode {
  const rows = starts.map((_start, index) => series.map(({ values }) => Number(values[index] ?? 0n)));
  const layers = stack<number[], number>()
    .keys(series.map((_one, place) => place))
    .value((row, key) => row[key] ?? 0)(rows);
  const shape = area()
    .x((_point, index) => frame.x((starts[index] ?? 0) + stepMs / 2))
    .y0(([from]) => frame.y(from))
    .y1(([, to]) => frame.y(to))
    .curve(curveMonotoneX);
  return layers.map((layer, place) => {
    const points = layer.map(([from, to]): [number, number] => [from, to]);
    return (
      <path
        key={place}
        d={shape(points) ?? ""}
        fill={colour(place)}
        fillOpacity={0.82}
        stroke="var(--surface)"
        strokeWidth={1}
      />
    );
  });
}
