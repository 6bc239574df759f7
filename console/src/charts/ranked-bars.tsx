import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { compare, sumOf } from "./series.ts";

export type Rank = { id: string; name: string; value: bigint };

type Props = {
  title: string;
  lead?: ReactNode;
  ranks: readonly Rank[];
  unit: Unit;
  most?: number;
  shown?: Shown;
  onPick?: ((id: string) => void) | undefined;
};

const ROW = 28;

/** The largest of many, each with its share of the whole. */
export function RankedBars({ ranks, unit, most = 8, onPick, ...rest }: Props): ReactNode {
  const sorted = ranks.toSorted((one, other) => compare(other.value, one.value));
  const whole = sumOf(sorted.map(({ value }) => value));
  const top = sorted[0]?.value ?? 0n;
  const shareOf = (value: bigint, of: bigint): number => (of === 0n ? 0 : Number((value * 1000n) / of) / 10);
  const table = {
    heads: ["Name", unit.name, "Share"],
    rows: sorted.map(({ name, value }) => [
      { show: name, plain: name },
      { show: unit.show(value), plain: unit.plain(value) },
      { show: `${shareOf(value, whole)} %`, plain: String(shareOf(value, whole)) },
    ]),
  };
  return (
    <Chart
      {...rest}
      height={Math.max(4, Math.min(most, ranks.length)) * ROW}
      table={table}
      legend={
        sorted.length > most && (
          <p className="mt-1 text-small text-ink-3">and {sorted.length - most} more, in the table</p>
        )
      }
    >
      <ol>
        {sorted.slice(0, most).map(({ id, name, value }) => (
          <li key={id}>
            <Bar
              name={name}
              words={unit.show(value)}
              exact={`${unit.exact(value)} ${unit.name}`}
              share={shareOf(value, whole)}
              width={shareOf(value, top)}
              onPick={onPick && (() => onPick(id))}
            />
          </li>
        ))}
      </ol>
    </Chart>
  );
}

type BarParts = {
  name: string;
  words: string;
  exact: string;
  share: number;
  width: number;
  onPick: (() => void) | undefined;
};

function Bar({ name, words, exact, share, width, onPick }: BarParts): ReactNode {
  const inside = (
    <>
      <span className="absolute inset-y-0.5 left-0 rounded-sm bg-series opacity-15" style={{ width: `${width}%` }} />
      <span className="relative min-w-0 flex-1 truncate text-left">{name}</span>
      <span className="relative font-medium">{words}</span>
      <span className="relative w-12 text-right text-small text-ink-3">
        {share < 0.1 ? "<0.1" : share.toFixed(share < 10 ? 1 : 0)} %
      </span>
    </>
  );
  const look = "relative flex h-7 w-full items-center gap-2 rounded-sm px-2";
  return onPick ? (
    <button type="button" title={exact} className={`${look} hover:bg-sunken`} onClick={onPick}>
      {inside}
    </button>
  ) : (
    <div title={exact} className={look}>
      {inside}
    </div>
  );
}
