import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { call } from "../../api/call.ts";
import { keyOf, readAll } from "../../api/query.ts";
import type { Cost } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { IconButton } from "../../parts/button.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useMay } from "../../shell/may.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";
import type { CostOf } from "./cost-dialog.tsx";

const MOST = 5_000;

export const costsQuery = queryOptions({
  queryKey: keyOf("GET /admin/v1/costs", {}, "all"),
  queryFn: ({ signal }) =>
    readAll(MOST, (after) =>
      call("GET /admin/v1/costs", { query: { limit: 1_000, ...(after !== null && { after }) }, signal }),
    ),
});

/** Every cost that was given, with the dates from which it counts. */
export function CostsTable({ onGive }: { onGive: (of: CostOf) => void }): ReactNode {
  const costs = useQuery(costsQuery);
  const rows = useMemo(() => costs.data?.toReversed() ?? [], [costs.data]);
  const canGive = useMay()("setCost");
  const columns = useMemo(() => (canGive ? [...COLUMNS, changeColumn(onGive)] : COLUMNS), [canGive, onGive]);
  const shown = shownOf(costs, rows.length === 0 ? NO_COSTS : null);
  return (
    <DataTable
      label="Costs"
      columns={columns}
      rows={rows}
      rowKey={({ provider, upstream_model: model, version }) => JSON.stringify([provider, model, version])}
      height={320}
      shown={
        shown.kind === "ready" && rows.length >= MOST
          ? { kind: "too-many", note: `The first ${groupDigits(MOST)} costs are shown.` }
          : shown
      }
    />
  );
}

const NO_COSTS = {
  title: "No cost is given",
  hint: "Say what providers charge you, and margins are computed from the ledger. Nothing is charged by a cost:",
  command: "tollgate costs set PROVIDER MODEL --input 2.50 --output 10",
};

const STATES: Record<Cost["state"], { name: string; tone: Tone }> = {
  in_force: { name: "in force", tone: "good" },
  to_come: { name: "to come", tone: "accent" },
  past: { name: "past", tone: "neutral" },
};

const costText = ({ cost }: Cost): string => {
  if (cost === null) return "not known from then on";
  const { tools, when = [], ...parts } = cost;
  const named = Object.entries({
    ...parts,
    ...Object.fromEntries(Object.entries(tools).map(([name, text]) => [`tools.${name}`, text])),
  });
  const told = named.flatMap(([name, text]) => (text === null ? [] : [`${name} ${text}`]));
  return [...told, ...(when.length === 0 ? [] : [`${when.length} ${when.length === 1 ? "line" : "lines"} more`])].join(
    ", ",
  );
};

const COLUMNS: readonly Column<Cost>[] = [
  textColumn("provider", "Provider", ({ provider }) => provider, { width: 136 }),
  textColumn("upstream", "Its name there", ({ upstream_model: model }) => model, {
    width: 240,
    cell: ({ upstream_model: model }) => <span title={model}>{model}</span>,
  }),
  {
    id: "state",
    head: "State",
    width: 96,
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].name}</Badge>,
    sort: ({ state }) => state,
    plain: ({ state }) => STATES[state].name,
  },
  textColumn("cost", "Dollars per million tokens or call", costText, {
    cell: (row) => <span title={costText(row)}>{costText(row)}</span>,
  }),
  momentColumn("from", "From", ({ effective_from: at }) => at, { width: 176 }),
  momentColumn("given", "Given", ({ given_at: at }) => at, { width: 176 }),
];

const changeColumn = (onGive: (of: CostOf) => void): Column<Cost> => ({
  id: "change",
  head: "Action",
  width: 80,
  align: "right",
  cell: ({ provider, upstream_model: upstreamModel, cost }) => (
    <IconButton
      label={`Give ${upstreamModel} another cost`}
      title="Give another cost"
      icon="settings"
      onClick={() => onGive({ provider, upstreamModel, cost })}
    />
  ),
  plain: () => "",
});
