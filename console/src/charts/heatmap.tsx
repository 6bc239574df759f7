import { curveMonotoneX, line } from "d3-shape";
import type { ReactNode } from "react";
import { showBucket } from "../format/time.ts";
import { DURATION, REQUESTS } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { Legend } from "./plot/legend.tsx";
import type { Frame } from "./plot/frame.ts";
import { Plot } from "./plot/plot.tsx";
import { type Buckets, sumOf } from "./series.ts";
import { timeTicks } from "./plot/ticks.ts";

/** A percentile over time, in microseconds; null: nothing happened in that bucket. */
/** `whole`: over all buckets together. */
export type PercentileLine = { name: string; values: readonly (bigint | null)[]; whole: bigint | null };

type Props = {
  title: string;
  lead?: ReactNode;
  buckets: Buckets;
  /** Upper bounds of the bins in microseconds, rising. */
  boundsUs: readonly bigint[];
  /** How many requests, by bucket and bin. */
  counts: readonly (readonly bigint[])[];
  lines: readonly PercentileLine[];
  height?: number;
  shown?: Shown;
  onPick?: ((fromMs: number, toMs: number) => void) | undefined;
  onRange?: ((fromMs: number, toMs: number) => void) | undefined;
};

const STEPS = 6;
const LINES = ["var(--ink)", "var(--series-3)", "var(--bad)"];
const DASHES = ["", "5 3", "2 2"];

/** How long requests took, over time: the stronger its colour, the more requests a cell has. Time is logarithmic. */
export function Heatmap({
  buckets,
  boundsUs,
  counts,
  lines,
  height = 220,
  onPick,
  onRange,
  ...rest
}: Props): ReactNode {
  const { startsMs, stepMs } = buckets;
  const stops = startsMs.map((from) => ({ from, to: from + stepMs }));
  const floor = Number(boundsUs[0] ?? 1n) / 2;
  const edges = [floor, ...boundsUs.map(Number)].map(Math.log10);
  const ticks = powersWithin(edges[0] ?? 0, edges.at(-1) ?? 1);
  const readout = (index: number) => ({
    title: showBucket(startsMs[index] ?? 0, stepMs),
    rows: [
      ...lines.map(({ name, values }, place) => ({ name, value: nullable(values[index]), colour: LINES[place] ?? "" })),
      { name: "requests", value: REQUESTS.show(sumOf(counts[index] ?? [])) },
    ],
  });
  return (
    <Chart
      {...rest}
      height={height}
      table={heatmapTable(buckets, counts, lines)}
      legend={
        <Legend
          items={lines.map(({ name, whole }, place) => ({
            id: name,
            name,
            mark: "line",
            colour: LINES[place] ?? "",
            value: nullable(whole),
          }))}
        />
      }
    >
      <Plot
        label={`${rest.title} Arrow keys read it bucket by bucket.`}
        stops={stops}
        height={height}
        yTicks={ticks}
        xTicks={timeTicks(stops[0]?.from ?? 0, stops.at(-1)?.to ?? 1)}
        yDomain={[edges[0] ?? 0, edges.at(-1) ?? 1]}
        readout={readout}
        onPick={onPick && ((index) => onPick(stops[index]?.from ?? 0, stops[index]?.to ?? 0))}
        onRange={onRange}
      >
        {(frame) => (
          <>
            <Cells counts={counts} starts={startsMs} stepMs={stepMs} edges={edges} frame={frame} />
            {lines.map(({ name, values }, place) => (
              <path
                key={name}
                d={pathOf(values, startsMs, stepMs, frame)}
                fill="none"
                stroke={LINES[place]}
                strokeWidth={1.6}
                strokeDasharray={DASHES[place]}
              />
            ))}
          </>
        )}
      </Plot>
    </Chart>
  );
}

type CellParts = {
  counts: Props["counts"];
  starts: readonly number[];
  stepMs: number;
  edges: readonly number[];
  frame: Frame;
};

function Cells({ counts, starts, stepMs, edges, frame }: CellParts): ReactNode {
  const most = Math.sqrt(Number(counts.flat().reduce((top, one) => (one > top ? one : top), 1n)));
  const column = Math.max(1, frame.x(starts[0] ?? 0) - frame.x((starts[0] ?? 0) - stepMs));
  return counts.map((bins, index) => (
    <g key={starts[index]} transform={`translate(${frame.x(starts[index] ?? 0)} 0)`}>
      {bins.map((count, bin) => {
        if (count === 0n) return null;
        const level = Math.max(1, Math.ceil((Math.sqrt(Number(count)) / most) * STEPS));
        const [bottom, top] = [frame.y(edges[bin] ?? 0), frame.y(edges[bin + 1] ?? 0)];
        return (
          <rect
            key={bin}
            y={top}
            width={column - 0.5}
            height={Math.max(1, bottom - top - 0.5)}
            fill="var(--series-1)"
            fillOpacity={0.06 + level * 0.115}
          />
        );
      })}
    </g>
  ));
}

function pathOf(values: PercentileLine["values"], starts: readonly number[], stepMs: number, frame: Frame): string {
  const lowest = 1n;
  const draw = line<bigint | null>()
    .defined((value) => value !== null)
    .x((_value, index) => frame.x((starts[index] ?? 0) + stepMs / 2))
    .y((value) => Math.min(frame.height, frame.y(Math.log10(Number(value ?? lowest)))))
    .curve(curveMonotoneX);
  return draw([...values]) ?? "";
}

function powersWithin(from: number, to: number): { at: number; label: string }[] {
  const powers = Array.from({ length: 12 }, (_power, exponent) => exponent).filter(
    (power) => power >= from && power <= to,
  );
  return powers.map((at) => ({ at, label: DURATION.short(10n ** BigInt(at)) }));
}

const nullable = (value: bigint | null | undefined): string => (value == null ? "–" : DURATION.show(value));

const heatmapTable = ({ startsMs, stepMs }: Buckets, counts: Props["counts"], lines: readonly PercentileLine[]) => ({
  heads: ["From", ...lines.map(({ name }) => name), "Requests"],
  rows: startsMs.map((at, index) => [
    { show: showBucket(at, stepMs), plain: new Date(at).toISOString() },
    ...lines.map(({ values }) => ({
      show: nullable(values[index]),
      plain: values[index] == null ? "" : DURATION.plain(values[index]),
    })),
    { show: REQUESTS.show(sumOf(counts[index] ?? [])), plain: String(sumOf(counts[index] ?? [])) },
  ]),
});
