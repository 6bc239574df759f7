import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";
import { REQUESTS } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { Plot } from "./plot/plot.tsx";
import { valueTicks } from "./plot/ticks.ts";

/** How many fell between two bounds. */
export type Bin = { from: bigint; to: bigint; count: bigint };

type Props = {
  title: string;
  lead?: ReactNode;
  bins: readonly Bin[];
  unit: Unit;
  height?: number;
  shown?: Shown;
  onPick?: ((bin: Bin) => void) | undefined;
};

const PIXELS_PER_LABEL = 72;

/** How often each size occurs. The bins stand at equal distances, however wide they are. */
export function Histogram({ bins, unit, height = 180, onPick, ...rest }: Props): ReactNode {
  const { ticks, top } = valueTicks(
    bins.reduce((most, { count }) => (count > most ? count : most), 0n),
    REQUESTS,
  );
  const stops = bins.map((_bin, index) => ({ from: index, to: index + 1 }));
  const between = ({ from, to }: Bin): string => `${unit.short(from)} – ${unit.short(to)}`;
  const table = {
    heads: [`From (${unit.name})`, `To (${unit.name})`, "Requests"],
    rows: bins.map(({ from, to, count }) => [
      { show: unit.show(from), plain: unit.plain(from) },
      { show: unit.show(to), plain: unit.plain(to) },
      { show: REQUESTS.show(count), plain: String(count) },
    ]),
  };
  const xTicks = (width: number) => {
    const every = Math.max(1, Math.ceil(bins.length / Math.max(1, Math.floor(width / PIXELS_PER_LABEL))));
    return bins.flatMap(({ from }, index) => (index % every === 0 ? [{ at: index, label: unit.short(from) }] : []));
  };
  return (
    <Chart {...rest} height={height} table={table}>
      <Plot
        label={`${rest.title} Arrow keys read it bin by bin.`}
        stops={stops}
        height={height}
        yTicks={ticks}
        xTicks={xTicks}
        yDomain={[0, top]}
        readout={(index) => ({
          title: between(bins[index] as Bin),
          rows: [{ name: "requests", value: REQUESTS.show(bins[index]?.count ?? 0n) }],
        })}
        onPick={onPick && ((index) => onPick(bins[index] as Bin))}
      >
        {({ x, y, height: floor }) =>
          bins.map(({ count }, index) => (
            <rect
              key={index}
              x={x(index) + 1}
              width={Math.max(1, x(index + 1) - x(index) - 2)}
              y={y(Number(count))}
              height={floor - y(Number(count))}
              fill="var(--series-1)"
            />
          ))
        }
      </Plot>
    </Chart>
  );
}
