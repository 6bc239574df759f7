import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Model, RouteHealth } from "../../api/generated/admin.ts";
import { DURATION, PERCENT } from "../../format/unit.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { READY } from "../../parts/state.tsx";
import { useHouseWide } from "../../shell/use-house-wide.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { healthQuery } from "../providers/providers-query.ts";
import { RouteBadge, routeState, stateName } from "../providers/route-state.tsx";
import { TestDialog } from "../providers/test-dialog.tsx";
import { inOrder } from "./model-columns.tsx";
import { RemoveRouteDialog, RouteDialog } from "./route-dialogs.tsx";

export type ModelRoute = Model["routes"][number];
type Row = ModelRoute & { health: RouteHealth | undefined };
type Open = { kind: "new" } | { kind: "order" | "remove" | "test"; route: ModelRoute } | null;

/** Where it is called. Routes that speak the client's format are preferred; among these, the lowest priority is tried first. */
export function ModelRoutes({ of: model }: { of: Model }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const seesHealth = useHouseWide();
  const health = useQuery({ ...healthQuery, enabled: seesHealth });
  const rows = useMemo(() => rowsOf(model, health.data ?? []), [model, health.data]);
  const columns = useMemo(() => {
    const all = routeColumns((kind, route) => setOpen({ kind, route }));
    return seesHealth ? all : all.filter(({ id }) => !OF_HEALTH.includes(id));
  }, [seesHealth]);
  return (
    <>
      <DataTable
        label="Routes"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        tools={<Button onClick={() => setOpen({ kind: "new" })}>Add a route</Button>}
        shown={
          rows.length === 0
            ? { kind: "empty", title: "It has no route", hint: "Requests for it get 404 until it has one." }
            : health.error
              ? { kind: "partial", note: `How the routes are is not known: ${health.error.message}` }
              : READY
        }
      />
      {open?.kind === "new" && <RouteDialog of={model} route={null} onClose={close} />}
      {open?.kind === "order" && <RouteDialog of={model} route={open.route} onClose={close} />}
      {open?.kind === "remove" && <RemoveRouteDialog of={model} route={open.route} onClose={close} />}
      {open?.kind === "test" && (
        <TestDialog
          provider={open.route.provider}
          target={{ upstreamModel: open.route.upstream_model, format: open.route.format }}
          onClose={close}
        />
      )}
    </>
  );
}

/** Leads see nothing of how the installation is. */
const OF_HEALTH = ["state", "success", "first", "now"];

type OnOpen = (kind: "order" | "remove" | "test", route: ModelRoute) => void;

const routeColumns = (onOpen: OnOpen): readonly Column<Row>[] => [
  ...COLUMNS,
  {
    id: "actions",
    head: "Actions",
    width: 136,
    align: "right",
    cell: (route) => <RouteTools onOpen={(kind) => onOpen(kind, route)} />,
    plain: () => "",
  },
];

const RouteTools = ({ onOpen }: { onOpen: (kind: "order" | "remove" | "test") => void }): ReactNode => (
  <span className="inline-flex">
    <IconButton label="Test this route" title="Test this route" icon="live" onClick={() => onOpen("test")} />
    <IconButton label="Change its order" title="Change its order" icon="settings" onClick={() => onOpen("order")} />
    <IconButton label="Remove this route" title="Remove this route" icon="close" onClick={() => onOpen("remove")} />
  </span>
);

const rowsOf = ({ routes }: Model, health: readonly RouteHealth[]): Row[] =>
  inOrder(routes).map((route) => ({ ...route, health: health.find(({ route_id: id }) => id === route.id) }));

const NONE = <span className="text-ink-3">–</span>;
const milliseconds = (ms: number): string => DURATION.show(BigInt(Math.round(ms * 1000)));
const percent = (share: number): string => PERCENT.show(BigInt(Math.round(share * 10_000)));

/** Of all calls that this process made; null: none. */
function succeededShare(health: RouteHealth | undefined): number | null {
  const calls = (health?.succeeded ?? 0) + (health?.failed ?? 0);
  return calls === 0 ? null : (health?.succeeded ?? 0) / calls;
}

const weightText = ({ weight }: Row): string => (weight === 0 ? "0, last resort" : String(weight));

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "priority",
    head: "Priority",
    width: 84,
    cell: ({ priority }) => priority,
    sort: ({ priority }) => priority,
    plain: ({ priority }) => String(priority),
  },
  {
    id: "provider",
    head: "Provider",
    width: 152,
    cell: ({ provider }) => (
      <Link to="/providers/$provider" params={{ provider }} className="text-accent hover:underline">
        {provider}
      </Link>
    ),
    sort: ({ provider }) => provider,
    plain: ({ provider }) => provider,
  },
  {
    id: "upstream",
    head: "Its name there",
    cell: ({ upstream_model: name }) => <span title={name}>{name}</span>,
    sort: ({ upstream_model: name }) => name,
    plain: ({ upstream_model: name }) => name,
  },
  {
    id: "format",
    head: "Format",
    width: 96,
    cell: ({ format, conformant }) => (
      <span title={conformant ? "Its streams are forwarded unchanged" : "Its streams are repaired"}>{format}</span>
    ),
    plain: ({ format }) => format,
  },
  {
    id: "region",
    head: "Region",
    width: 96,
    cell: ({ region }) => region ?? NONE,
    sort: ({ region }) => region ?? "",
    plain: ({ region }) => region ?? "",
  },
  {
    id: "state",
    head: "State",
    width: 120,
    cell: ({ health }) => <RouteBadge of={health} />,
    sort: ({ health }) => stateName(routeState(health)),
    plain: ({ health }) => stateName(routeState(health)),
  },
  {
    id: "weight",
    head: "Weight",
    width: 112,
    align: "right",
    cell: weightText,
    sort: ({ weight }) => weight,
    plain: ({ weight }) => String(weight),
  },
  {
    id: "success",
    head: "Succeeded",
    width: 104,
    align: "right",
    cell: ({ health }) => {
      const share = succeededShare(health);
      return share === null ? (
        NONE
      ) : (
        <span
          title={`${health?.succeeded} calls succeeded and ${health?.failed} failed, since this process first used it`}
        >
          {percent(share)}
        </span>
      );
    },
    sort: ({ health }) => succeededShare(health),
    plain: ({ health }) => String(succeededShare(health) ?? ""),
  },
  {
    id: "first",
    head: "First byte",
    width: 96,
    align: "right",
    cell: ({ health }) => (health?.first_byte_ms == null ? NONE : milliseconds(health.first_byte_ms)),
    sort: ({ health }) => health?.first_byte_ms ?? null,
    plain: ({ health }) => String(health?.first_byte_ms ?? ""),
  },
  {
    id: "now",
    head: "Now",
    width: 72,
    align: "right",
    cell: ({ health }) => (health ? health.calls_in_progress : NONE),
    plain: ({ health }) => String(health?.calls_in_progress ?? ""),
  },
];
