import { queryOptions } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";

const PAGE = 1000;
const EVERY_MS = 10_000;

/** Every provider with its routes; a thousand at most. */
export const providersQuery = queryOptions({
  ...queryOf("GET /admin/v1/providers", { query: { limit: PAGE } }),
  select: ({ data }) => data,
});

/** Well-known providers with their addresses. */
export const presetsQuery = queryOf("GET /admin/v1/provider-presets");

/** What the process that answers has seen of each route since it first used it. */
export const healthQuery = queryOptions({
  ...queryOf("GET /admin/v1/health/routes"),
  select: ({ data }) => data,
  refetchInterval: EVERY_MS,
});
