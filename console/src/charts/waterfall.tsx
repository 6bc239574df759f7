import { scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import { DURATION } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { useWidth } from "./plot/use-width.ts";

/** A step of a request, in microseconds since it arrived. */
export type Span = {
  id: string;
  name: string;
  fromUs: bigint;
  toUs: bigint;
  kind: "own" | "provider" | "failed" | "money";
  note?: string;
};

type Props = {
  title: string;
  lead?: ReactNode;
  spans: readonly Span[];
  shown?: Shown;
  onPick?: ((id: string) => void) | undefined;
};

const COLOURS: Record<Span["kind"], string> = {
  own: "var(--series-other)",
  provider: "var(--series-1)",
  failed: "var(--bad)",
  money: "var(--series-3)",
};
const ROW = 24;
const NAMES = 148;
const LENGTH = 64;
const PIXELS_PER_LABEL = 96;

/** Where the time of one request went: a row per step, one under the other. */
export function Waterfall({ spans, onPick, ...rest }: Props): ReactNode {
  const [width, ref] = useWidth();
  const end = spans.reduce((last, { toUs }) => (toUs > last ? toUs : last), 1n);
  const names = Math.min(NAMES, Math.floor(width * 0.32));
  const x = scaleLinear([0, Number(end)], [names, Math.max(names + 1, width - LENGTH)]).nice(5);
  const table = {
    heads: ["Step", "Begins", "Takes", "What"],
    rows: spans.map(({ name, fromUs, toUs, note = "" }) => [
      { show: name, plain: name },
      { show: DURATION.show(fromUs), plain: DURATION.plain(fromUs) },
      { show: DURATION.show(toUs - fromUs), plain: DURATION.plain(toUs - fromUs) },
      { show: note, plain: note },
    ]),
  };
  const height = spans.length * ROW + 20;
  return (
    <Chart {...rest} height={height} table={table}>
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={height} role="group" aria-label={rest.title} className="block text-small">
            {x.ticks(Math.max(2, Math.floor((width - names) / PIXELS_PER_LABEL))).map((at) => (
              <g
                key={at}
                transform={`translate(${Math.round(x(at)) + 0.5} 0)`}
                className="text-fine"
                aria-hidden="true"
              >
                <line y1={16} y2={height} stroke="var(--line)" />
                <text y={10} textAnchor="middle" fill="var(--ink-3)">
                  {DURATION.short(BigInt(Math.round(at)))}
                </text>
              </g>
            ))}
            {spans.map((span, index) => (
              <SpanRow
                key={span.id}
                span={span}
                y={20 + index * ROW}
                x={(us) => x(Number(us))}
                names={names}
                onPick={onPick}
              />
            ))}
          </svg>
        )}
      </div>
    </Chart>
  );
}

type RowParts = { span: Span; y: number; x: (us: bigint) => number; names: number; onPick: Props["onPick"] };

function SpanRow({ span, y, x, names, onPick }: RowParts): ReactNode {
  const { id, name, fromUs, toUs, kind, note } = span;
  const words = `${name}: ${DURATION.show(toUs - fromUs)}, begins at ${DURATION.show(fromUs)}${note === undefined ? "" : `, ${note}`}`;
  return (
    <g
      transform={`translate(0 ${y})`}
      role={onPick ? "button" : "img"}
      aria-label={words}
      tabIndex={0}
      className={onPick ? "cursor-pointer" : ""}
      onClick={() => onPick?.(id)}
      onKeyDown={({ key }) => key === "Enter" && onPick?.(id)}
    >
      <title>{words}</title>
      <rect width="100%" height={ROW} fill="transparent" />
      <text x={0} y={ROW / 2} dy="0.32em" fill="var(--ink)">
        {name.length * 6.4 > names ? `${name.slice(0, Math.floor(names / 6.4) - 1)}…` : name}
      </text>
      <rect x={x(fromUs)} y={6} width={Math.max(2, x(toUs) - x(fromUs))} height={12} rx={2} fill={COLOURS[kind]} />
      <text x={Math.max(2, x(toUs) - x(fromUs)) + x(fromUs) + 6} y={ROW / 2} dy="0.32em" fill="var(--ink-2)">
        {DURATION.show(toUs - fromUs)}
      </text>
    </g>
  );
}
