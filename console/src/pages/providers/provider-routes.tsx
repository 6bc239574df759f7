import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Provider, RouteHealth } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { IconButton } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { RouteBadge, routeState, stateName } from "./route-state.tsx";
import { type Target, TestDialog } from "./test-dialog.tsx";

type Route = Provider["routes"][number];
type Row = Route & { health: RouteHealth | undefined };

const NONE = <span className="text-ink-3">–</span>;
const milliseconds = (ms: number): string => DURATION.show(BigInt(Math.round(ms * 1000)));

/** The models that it serves, each with what this process knows of the route. */
export function ProviderRoutes({ of: provider, health }: { of: Provider; health: readonly RouteHealth[] }): ReactNode {
  const navigate = useNavigate();
  const [tested, setTested] = useState<Target | null>(null);
  const rows = useMemo(
    () => provider.routes.map((route) => ({ ...route, health: health.find(({ route_id: id }) => id === route.id) })),
    [provider, health],
  );
  const columns = useMemo(() => routeColumns(setTested), []);
  return (
    <>
      <DataTable
        label="Routes"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ model }) => void navigate({ to: "/models/$model", params: { model } })}
        shown={
          rows.length === 0
            ? { kind: "empty", title: "No model has a route to it", hint: "Add one on the page of a model." }
            : { kind: "ready" }
        }
      />
      {tested && <TestDialog provider={provider.name} target={tested} onClose={() => setTested(null)} />}
    </>
  );
}

const routeColumns = (onTest: (target: Target) => void): readonly Column<Row>[] => [
  ...COLUMNS,
  {
    id: "test",
    head: "Test",
    width: 64,
    align: "right",
    cell: ({ upstream_model: upstreamModel, format }) => (
      <IconButton
        label="Test this route"
        title="Test this route"
        icon="live"
        onClick={(event) => {
          event.stopPropagation();
          onTest({ upstreamModel, format });
        }}
      />
    ),
    plain: () => "",
  },
];

const count = (id: "succeeded" | "failed" | "rate_limited" | "calls_in_progress", head: string): Column<Row> => ({
  id,
  head,
  width: 92,
  align: "right",
  cell: ({ health }) => (health ? groupDigits(health[id]) : NONE),
  sort: ({ health }) => health?.[id] ?? null,
  plain: ({ health }) => String(health?.[id] ?? ""),
});

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "model",
    head: "Model",
    cell: ({ model, published }) => (
      <span title={model} className={published ? "" : "text-ink-3"}>
        {model}
        {!published && " (unpublished)"}
      </span>
    ),
    sort: ({ model }) => model,
    plain: ({ model }) => model,
  },
  {
    id: "upstream",
    head: "Its name there",
    cell: ({ upstream_model: name }) => <span title={name}>{name}</span>,
    sort: ({ upstream_model: name }) => name,
    plain: ({ upstream_model: name }) => name,
  },
  { id: "format", head: "Format", width: 96, cell: ({ format }) => format, plain: ({ format }) => format },
  {
    id: "state",
    head: "State",
    width: 120,
    cell: ({ health }) => <RouteBadge of={health} />,
    sort: ({ health }) => stateName(routeState(health)),
    plain: ({ health }) => stateName(routeState(health)),
  },
  count("succeeded", "Succeeded"),
  count("failed", "Failed"),
  count("rate_limited", "429s"),
  {
    id: "first",
    head: "First byte",
    width: 96,
    align: "right",
    cell: ({ health }) => (health?.first_byte_ms == null ? NONE : milliseconds(health.first_byte_ms)),
    sort: ({ health }) => health?.first_byte_ms ?? null,
    plain: ({ health }) => String(health?.first_byte_ms ?? ""),
  },
  { ...count("calls_in_progress", "Now"), width: 72 },
];

type Failed = RouteHealth["last_errors"][number] & { id: string; route: string };

/** The last failures of its routes, newest first. */
export function ProviderErrors({ routes }: { routes: readonly RouteHealth[] }): ReactNode {
  const rows = routes
    .flatMap(({ route_id: id, upstream_model: route, last_errors: errors }) =>
      errors.map((error, index): Failed => ({ ...error, id: `${id} ${index}`, route })),
    )
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return (
    <DataTable
      label="Last errors"
      columns={ERROR_COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      height={260}
      shown={
        rows.length === 0
          ? { kind: "empty", title: "This process has seen no error", hint: "The last five of each route are kept." }
          : { kind: "ready" }
      }
    />
  );
}

const ERROR_COLUMNS: readonly Column<Failed>[] = [
  {
    id: "at",
    head: "At",
    width: 168,
    cell: ({ at }) => <Moment atMs={Date.parse(at)} />,
    sort: ({ at }) => at,
    plain: ({ at }) => at,
  },
  {
    id: "route",
    head: "Model there",
    cell: ({ route }) => route,
    sort: ({ route }) => route,
    plain: ({ route }) => route,
  },
  {
    id: "reason",
    head: "Reason",
    cell: ({ reason }) => reason,
    sort: ({ reason }) => reason,
    plain: ({ reason }) => reason,
  },
  {
    id: "status",
    head: "Status",
    width: 72,
    align: "right",
    cell: ({ status }) => status ?? NONE,
    sort: ({ status }) => status,
    plain: ({ status }) => String(status ?? ""),
  },
];
