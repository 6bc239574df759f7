import type { ReactNode } from "react";

export type LegendItem = { id: string; name: string; colour: string; value?: string; mark?: "square" | "line" };

type Props = { items: readonly LegendItem[]; onPick?: ((id: string) => void) | undefined };

/** The names of the marks with their totals, largest first. Picking one opens what is behind it. */
export const Legend = ({ items, onPick }: Props): ReactNode => (
  <ul className="mt-2 flex flex-wrap gap-x-4 text-small">
    {items.map(({ id, name, colour, value, mark = "square" }) => {
      const inside = (
        <>
          <i
            className={`shrink-0 ${mark === "line" ? "h-0.5 w-3" : "size-2 rounded-[2px]"}`}
            style={{ background: colour }}
          />
          <span className="truncate text-ink-2">{name}</span>
          {value !== undefined && <span className="font-medium">{value}</span>}
        </>
      );
      return (
        <li key={id} className="max-w-full min-w-0">
          {onPick ? (
            <button
              type="button"
              className="flex min-h-6 max-w-full items-center gap-1.5 rounded-sm hover:underline"
              onClick={() => onPick(id)}
            >
              {inside}
            </button>
          ) : (
            <span className="flex min-h-6 items-center gap-1.5">{inside}</span>
          )}
        </li>
      );
    })}
  </ul>
);
