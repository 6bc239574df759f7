import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Provider } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { BreakerTimeline } from "./breaker-timeline.tsx";
import { providerColumns } from "./provider-columns.tsx";
import { ProviderDialog } from "./provider-dialogs.tsx";
import { healthQuery, providersQuery } from "./providers-query.ts";
import { useProviderRows, useProviderSeries } from "./use-provider-rows.ts";

/** Who answers requests, how well, and when they were left alone. */
export function Providers(): ReactNode {
  const navigate = useNavigate();
  const { range } = usePageSearch();
  const [isAdding, setIsAdding] = useState(false);
  const providers = useQuery(providersQuery);
  const health = useQuery(healthQuery);
  const series = useProviderSeries({
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
  });
  const rows = useProviderRows(providers.data ?? NOBODY, health.data ?? NOTHING, series.data);
  const models = useMemo(() => modelsByRoute(providers.data ?? NOBODY), [providers.data]);
  const columns = useMemo(() => providerColumns(series.data), [series.data]);
  const shown = shownOf(providers, rows.length === 0 ? NO_PROVIDERS : null);
  const missing = health.error ?? series.error;
  const partial: Shown = missing === null ? shown : { kind: "partial", note: `Not all is known: ${missing.message}` };
  return (
    <div className="flex flex-col gap-4">
      <DataTable
        label="Providers"
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        onOpen={({ name }) => void navigate({ to: "/providers/$provider", params: { provider: name } })}
        shown={shown.kind === "ready" ? partial : shown}
        tools={
          <Button look="primary" onClick={() => setIsAdding(true)}>
            New provider
          </Button>
        }
      />
      <BreakerTimeline
        routes={health.data ?? NOTHING}
        fromMs={range.fromMs}
        nameOf={(route) =>
          `${route.provider} · ${models.get(route.route_id) ?? route.upstream_model} · ${route.format}`
        }
        shown={shownOf(health, null)}
        onPick={(provider) => void navigate({ to: "/providers/$provider", params: { provider } })}
      />
      {isAdding && <ProviderDialog of={null} onClose={() => setIsAdding(false)} />}
    </div>
  );
}

const modelsByRoute = (providers: readonly Provider[]): ReadonlyMap<string, string> =>
  new Map(providers.flatMap(({ routes }) => routes.map(({ id, model }) => [id, model])));

const NOBODY: readonly never[] = [];
const NOTHING: readonly never[] = [];
const NO_PROVIDERS = {
  title: "There are no providers yet",
  hint: "A provider is an API that runs models. Add the first with “New provider”, or with a command:",
  command: "tollgate providers add openai --preset openai --credential-stdin",
};
