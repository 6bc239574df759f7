import { Fault } from "../../core/fault.ts";
import { requestUuid } from "../../core/ids.ts";

/** The request as it is listed, or the UUID that it has in the database. */
export function readRequestId(requestId: string): string {
  const id = requestUuid(requestId);
  if (id === null)
    throw new Fault(
      "not_found",
      `${JSON.stringify(requestId)} is not a request id. A request id is req_ followed by 32 hexadecimal digits.`,
    );
  return id;
}
