import { queryOptions } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import { readModel } from "./own-model.ts";

/** The models of the key. Their speed is that of the last hour, so it is asked for again now and then. */
export const modelsQuery = queryOptions({
  ...queryOf("GET /me/models"),
  select: ({ data }) => data.map(readModel),
  refetchInterval: 60_000,
});
