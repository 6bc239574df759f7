import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Provider } from "../../api/generated/admin.ts";

const PAGE = 1000;
const EVERY_MS = 10_000;

/** Every provider with its routes; a thousand at most. */
export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: async ({ signal }): Promise<readonly Provider[]> =>
    (await call("GET /admin/v1/providers", { query: { limit: PAGE }, signal })).data,
});

/** Well-known providers with their addresses. */
export const presetsQuery = queryOptions({
  queryKey: ["provider presets"],
  queryFn: ({ signal }) => call("GET /admin/v1/provider-presets", { signal }),
});

/** What the process that answers has seen of each route since it first used it. */
export const healthQuery = queryOptions({
  queryKey: ["health", "routes"],
  queryFn: async ({ signal }) => (await call("GET /admin/v1/health/routes", { signal })).data,
  refetchInterval: EVERY_MS,
});
