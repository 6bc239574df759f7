import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { keyOf, readAll } from "../../api/query.ts";

const PAGE = 1000;
export const MOST_MODELS = 5000;

/** Every model, published or not; so many at most. */
export const modelsQuery = queryOptions({
  queryKey: keyOf("GET /admin/v1/models", {}, "all"),
  queryFn: ({ signal }) =>
    readAll(MOST_MODELS, (after) =>
      call("GET /admin/v1/models", { query: { limit: PAGE, ...(after !== null && { after }) }, signal }),
    ),
});
