import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queryOf } from "../../api/query.ts";
import type { Provider, RouteHealth } from "../../api/generated/admin.ts";
import type { SeriesAnswer } from "../overview/series-of.ts";
import { type RouteState, routeState, worstState } from "./route-state.tsx";

type Sum = SeriesAnswer["total"];

/** A provider with how its routes are, and what became of the requests that asked it last. */
export type ProviderRow = {
  name: string;
  provider: Provider | null;
  routes: readonly RouteHealth[];
  state: RouteState;
  skipped: number;
  rateLimited: number;
  total: Sum | null;
  points: readonly { at: string; requests: number }[];
};

const MOST = 50;

/** What requests of a span asked each provider for. */
export const useProviderSeries = (span: {
  from: string;
  to: string;
  account?: string;
  key?: string;
  model?: string;
  provider?: string;
}) =>
  useQuery({
    ...queryOf("GET /admin/v1/series", { query: { ...span, by: "provider", top: MOST } }),
    placeholderData: (kept) => kept,
  });

export function useProviderRows(
  providers: readonly Provider[] | null,
  health: readonly RouteHealth[],
  series: SeriesAnswer | undefined,
): ProviderRow[] {
  return useMemo(() => {
    const groups = new Map((series?.groups ?? []).flatMap((group) => (group.id ? [[group.id, group] as const] : [])));
    const names = providers?.map(({ name }) => name) ?? [
      ...new Set([...health.map(({ provider }) => provider), ...groups.keys()]),
    ];
    return names.map((name) => {
      const routes = health.filter(({ provider }) => provider === name);
      const states = routes.map(routeState);
      const group = groups.get(name);
      return {
        name,
        provider: providers?.find((one) => one.name === name) ?? null,
        routes,
        state: worstState(states),
        skipped: states.filter((state) => state === "open").length,
        rateLimited: routes.reduce((sum, route) => sum + route.rate_limited, 0),
        total: group?.total ?? null,
        points: group?.points ?? [],
      };
    });
  }, [providers, health, series]);
}

/** Of requests that asked it last, the share that was delivered or left by its client, in hundredths of a percent. */
export function successShare(total: Sum | null): bigint | null {
  if (total === null || total.requests === 0) return null;
  const well = (total.codes["ok"] ?? 0) + (total.codes["client_gone"] ?? 0);
  return BigInt(Math.floor((well / total.requests) * 10_000));
}
