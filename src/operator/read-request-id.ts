import { Fault } from "../core/fault.ts";
import { UUID } from "../core/page.ts";

const REQUEST_ID = /^req_([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i;

/** The request as it is listed, or the UUID that it has in the database. */
export function readRequestId(requestId: string): string {
  if (UUID.test(requestId)) return requestId.toLowerCase();
  const [, ...parts] = REQUEST_ID.exec(requestId) ?? [];
  if (parts.length === 0)
    throw new Fault(
      "not_found",
      `${JSON.stringify(requestId)} is not a request id. A request id is req_ followed by 32 hexadecimal digits.`,
    );
  return parts.join("-").toLowerCase();
}
