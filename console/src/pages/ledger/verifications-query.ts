import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

/** When the ledger was verified, and what came of it. */
export const verificationsQuery = queryOptions({
  queryKey: ["verifications"],
  queryFn: ({ signal }) => call("GET /admin/v1/ledger/verifications", { signal }),
});
