import { queryOf } from "../../api/query.ts";

/** When the ledger was verified, and what came of it. */
export const verificationsQuery = queryOf("GET /admin/v1/ledger/verifications");
