import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";
import { Delta, type Wish } from "./delta.tsx";

type Props = {
  label: string;
  value: bigint | null;
  unit: Unit;
  before?: bigint;
  wish?: Wish;
  trend?: ReactNode;
  note?: ReactNode;
};

/** Units that stand in the number itself. */
const PLAIN = ["ms", "%"];

/** One number that matters: what it is, how much, in what, and how it moved. Null: not known yet. */
export const Figure = ({ label, value, unit, before, wish = "neither", trend, note }: Props): ReactNode => (
  <div className="flex min-w-0 flex-col gap-0.5 bg-surface px-4 py-3">
    <dt className="truncate text-small text-ink-2">
      {label}
      {!PLAIN.includes(unit.name) && unit.name !== label.toLowerCase() && (
        <span className="text-ink-3"> · {unit.name}</span>
      )}
    </dt>
    <dd
      className="text-figure font-semibold tracking-tight"
      title={value === null ? undefined : `${unit.exact(value)} ${unit.name}`}
    >
      {value === null ? "–" : figureOf(unit, value)}
    </dd>
    <dd className="flex min-h-5 items-center justify-between gap-2">
      {value !== null && before !== undefined ? (
        <Delta now={value} before={before} wish={wish} />
      ) : (
        <span className="text-small text-ink-3">{note}</span>
      )}
      {trend}
    </dd>
  </div>
);

/** A figure has nine characters at most, so that six of them stand in a row. */
function figureOf(unit: Unit, value: bigint): string {
  const whole = unit.show(value);
  return whole.length > 9 ? unit.short(value) : whole;
}

/** Figures side by side, divided by hairlines. `narrow`: they stand beside something else, so three in a row at most. */
export const Figures = ({ narrow = false, children }: { narrow?: boolean; children: ReactNode }): ReactNode => (
  <dl
    className={`grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 ${narrow ? "" : "xl:grid-cols-6"}`}
  >
    {children}
  </dl>
);
