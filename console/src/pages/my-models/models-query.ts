import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { readModel } from "./own-model.ts";

/** The models of the key. Their speed is that of the last hour, so it is asked for again now and then. */
export const modelsQuery = queryOptions({
  queryKey: ["me", "models"],
  queryFn: async ({ signal }) => (await call("GET /me/models", { signal })).data.map(readModel),
  refetchInterval: 60_000,
});
