import type { OperationName } from "../../api/call.ts";
import type { AdminOperations, RequestRow } from "../../api/generated/admin.ts";

export type RequestQuery = AdminOperations["GET /admin/v1/requests" & OperationName]["query"];
export type SeriesQuery = AdminOperations["GET /admin/v1/series"]["query"];

/** As much of a series as is counted here; that of a key holder has it, too. */
export type CountedSeries = {
  points: readonly { at: string; codes: Record<string, number> }[];
  groups: readonly { id: string | null; points: readonly { at: string; requests: number }[] }[];
};

/** What operators and key holders both see of a request in a list. */
export type EndedRequest = Pick<RequestRow, "request_id" | "at" | "code" | "times">;
