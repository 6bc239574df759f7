import type { Forbidden } from "../../core/forbidden.ts";
import type { RenderedFault } from "./shape.ts";

/** What a role does not allow, in the envelope of Format A. Only operators meet it. */
export function renderForbidden({ message }: Forbidden, requestId: string): RenderedFault {
  const body = { error: { message, type: "permission_error", code: "forbidden", param: null, request_id: requestId } };
  return { status: 403, headers: {}, body: JSON.stringify(body) };
}
