import { type ReactNode, useState } from "react";
import { saveFile, writeCsv } from "../../format/csv.ts";
import { IconButton } from "../../parts/button.tsx";
import { ErrorBoundary } from "../../parts/error-boundary.tsx";
import { Stateful, READY, type Shown } from "../../parts/state.tsx";
import { TableTwin } from "./table-twin.tsx";
import type { TwinTable } from "./twin-table.ts";

type Props = {
  /** The question that the chart answers. */
  title: string;
  /** What is counted, in which unit, over which span. */
  lead?: ReactNode;
  shown?: Shown;
  height?: number;
  table: TwinTable;
  legend?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
};

/** A chart with its question, its table and its file. */
export function Chart({ title, lead, shown = READY, height = 220, table, legend, tools, children }: Props): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const hasData = !["loading", "empty", "error"].includes(shown.kind);
  const save = (): void =>
    saveFile(
      `${slug(title)}.csv`,
      writeCsv(
        table.heads,
        table.rows.map((row) => row.map(({ plain }) => plain)),
      ),
    );
  return (
    <figure className="flex min-w-0 flex-col rounded-lg border border-line bg-surface" aria-label={title}>
      <figcaption className="flex items-start gap-2 px-4 pt-3">
        <div className="min-w-0 flex-1">
          <h2 className="text-title font-semibold text-balance">{title}</h2>
          {lead !== undefined && <p className="text-small text-ink-2">{lead}</p>}
        </div>
        <div className="-mt-1 -mr-2 flex items-center">
          {tools}
          <IconButton
            label={asTable ? "Show as chart" : "Show as table"}
            icon={asTable ? "chart" : "table"}
            aria-pressed={asTable}
            disabled={!hasData}
            onClick={() => setAsTable(!asTable)}
          />
          <IconButton label="Download as CSV" icon="download" disabled={!hasData} onClick={save} />
        </div>
      </figcaption>
      <div className="min-w-0 flex-1 px-4 pt-2 pb-3">
        <ErrorBoundary>
          <Stateful shown={shown} height={height}>
            {asTable ? <TableTwin label={title} table={table} height={height} /> : children}
          </Stateful>
        </ErrorBoundary>
        {hasData && !asTable && legend}
      </div>
    </figure>
  );
}

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
