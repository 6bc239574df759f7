import { scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import { showMoment } from "../format/time.ts";
import { DURATION } from "../format/unit.ts";
import type { Shown } from "../parts/state.tsx";
import { Chart } from "./plot/chart.tsx";
import { Legend } from "./plot/legend.tsx";
import { timeTicks } from "./plot/ticks.ts";
import { useWidth } from "./plot/use-width.ts";

/** How something was for a while. Taller means worse, for those who do not see the colour. */
export type StateKind = "well" | "doubt" | "ill";
export type StateSpan = { fromMs: number; toMs: number; kind: StateKind; name: string; note?: string };
export type StateRow = { id: string; name: string; spans: readonly StateSpan[] };

type Props = {
  title: string;
  lead?: ReactNode;
  rows: readonly StateRow[];
  fromMs: number;
  toMs: number;
  /** What each kind is called. */
  words: Record<StateKind, string>;
  shown?: Shown;
  onPick?: ((id: string) => void) | undefined;
};

const MARKS: Record<StateKind, { colour: string; height: number }> = {
  well: { colour: "var(--series-1)", height: 4 },
  doubt: { colour: "var(--series-3)", height: 10 },
  ill: { colour: "var(--bad)", height: 16 },
};
const ROW = 26;
const NAMES = 220;
const AXIS = 20;

/** Which state each of several had over time, one under the other. Where nothing is known, nothing is drawn. */
export function StateTimeline({ rows, fromMs, toMs, words, onPick, ...rest }: Props): ReactNode {
  const [width, ref] = useWidth();
  const names = Math.min(NAMES, Math.floor(width * 0.42));
  const x = scaleLinear([fromMs, toMs], [names, Math.max(names + 1, width - 4)]).clamp(true);
  const height = rows.length * ROW + AXIS;
  const table = {
    heads: ["What", "State", "From", "To", "Why"],
    rows: rows.flatMap(({ name, spans }) =>
      spans.map((span) =>
        [name, span.name, ...[span.fromMs, span.toMs].map(showMoment), span.note ?? ""].map((show, place) => ({
          show,
          plain: place === 2 || place === 3 ? new Date(place === 2 ? span.fromMs : span.toMs).toISOString() : show,
        })),
      ),
    ),
  };
  const kinds = Object.keys(MARKS) as StateKind[];
  return (
    <Chart
      {...rest}
      height={Math.max(height, 4 * ROW)}
      table={table}
      legend={<Legend items={kinds.map((kind) => ({ id: kind, name: words[kind], colour: MARKS[kind].colour }))} />}
    >
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={height} role="group" aria-label={rest.title} className="block text-small">
            {timeTicks(
              fromMs,
              toMs,
            )(width - names).map(({ at, label }) => (
              <g key={at} transform={`translate(${Math.round(x(at)) + 0.5} 0)`} aria-hidden="true">
                <line y2={rows.length * ROW} stroke="var(--line)" />
                <text
                  y={height - 5}
                  textAnchor={anchorAt(x(at), { from: names, to: width })}
                  className="text-fine"
                  fill="var(--ink-3)"
                >
                  {label}
                </text>
              </g>
            ))}
            {rows.map((row, index) => (
              <TimelineRow key={row.id} row={row} y={index * ROW} x={x} names={names} onPick={onPick} />
            ))}
          </svg>
        )}
      </div>
    </Chart>
  );
}

function anchorAt(x: number, { from, to }: { from: number; to: number }): "start" | "middle" | "end" {
  if (x < from + 20) return "start";
  return x > to - 20 ? "end" : "middle";
}

type RowParts = { row: StateRow; y: number; x: (ms: number) => number; names: number; onPick: Props["onPick"] };

function TimelineRow({ row: { id, name, spans }, y, x, names, onPick }: RowParts): ReactNode {
  const worse = spans.filter(({ kind }) => kind !== "well");
  const words = `${name}: ${worse.length === 0 ? (spans.at(-1)?.name ?? "nothing known") : worse.map(spanText).join("; ")}`;
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
      <foreignObject width={Math.max(0, names - 12)} height={ROW}>
        <div className="truncate leading-[26px] text-ink">{name}</div>
      </foreignObject>
      {spans.map((span) => {
        const { colour, height } = MARKS[span.kind];
        const from = x(span.fromMs);
        return (
          <rect
            key={span.fromMs}
            x={from}
            y={(ROW - height) / 2}
            width={Math.max(span.kind === "well" ? 0 : 2, x(span.toMs) - from)}
            height={height}
            rx={1.5}
            fill={colour}
          />
        );
      })}
    </g>
  );
}

const spanText = ({ name, fromMs, toMs, note }: StateSpan): string =>
  `${name} from ${showMoment(fromMs)} for ${DURATION.show(BigInt(toMs - fromMs) * 1000n)}${note === undefined ? "" : `, ${note}`}`;
