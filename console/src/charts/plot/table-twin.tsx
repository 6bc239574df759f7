import type { ReactNode } from "react";
import type { TwinTable } from "./twin-table.ts";

/** What a chart shows, in words and digits. */
export const TableTwin = ({ label, table, height }: { label: string; table: TwinTable; height: number }): ReactNode => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
  <div className="overflow-auto" style={{ maxHeight: height + 40 }} role="region" aria-label={label} tabIndex={0}>
    <table className="w-full text-small">
      <thead className="sticky top-0 bg-surface">
        <tr className="border-b border-line text-ink-2">
          {table.heads.map((head, index) => (
            <th
              key={index}
              scope="col"
              className={`py-1.5 pr-3 font-medium whitespace-nowrap last:pr-0 ${index === 0 ? "text-left" : "text-right"}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index} className="border-b border-line/60 last:border-0">
            {row.map(({ show }, place) =>
              place === 0 ? (
                <th key={place} scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                  {show}
                </th>
              ) : (
                <td key={place} className="py-1 pr-3 text-right whitespace-nowrap last:pr-0">
                  {show}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
