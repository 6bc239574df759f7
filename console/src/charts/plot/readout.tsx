import type { ReactNode } from "react";

export type ReadoutRow = { name: string; value: string; colour?: string };
export type Readout = { title: string; rows: readonly ReadoutRow[]; total?: string };

const MOST_ROWS = 10;
const WIDTH = 216;

/** What stands under the pointer or has the focus, in words. It keeps inside of the plot. */
export const ReadoutBox = ({ readout, x, width }: { readout: Readout; x: number; width: number }): ReactNode => (
  <div
    className="pointer-events-none absolute top-1 z-10 rounded-md border border-line bg-raised px-3 py-2 text-small shadow-float"
    style={{ width: WIDTH, left: Math.max(0, x + WIDTH + 12 > width ? x - WIDTH - 12 : x + 12) }}
    aria-hidden="true"
  >
    <p className="mb-1 font-medium">{readout.title}</p>
    <ul>
      {readout.rows.slice(0, MOST_ROWS).map(({ name, value, colour }) => (
        <li key={name} className="flex items-center gap-1.5">
          {colour !== undefined && <i className="size-2 shrink-0 rounded-[2px]" style={{ background: colour }} />}
          <span className="min-w-0 flex-1 truncate text-ink-2">{name}</span>
          <span className="font-medium">{value}</span>
        </li>
      ))}
      {readout.rows.length > MOST_ROWS && <li className="text-ink-3">and {readout.rows.length - MOST_ROWS} more</li>}
    </ul>
    {readout.total !== undefined && (
      <p className="mt-1 flex justify-between border-t border-line pt-1">
        <span className="text-ink-2">Total</span>
        <span className="font-semibold">{readout.total}</span>
      </p>
    )}
  </div>
);

/** The same as one sentence, for those who hear the chart. */
export const readoutText = ({ title, rows, total }: Readout): string =>
  [
    title,
    ...(total === undefined ? [] : [`total ${total}`]),
    ...rows.map(({ name, value }) => `${name} ${value}`),
  ].join(", ");
