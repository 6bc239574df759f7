import type { Conflict } from "../../core/conflict.ts";
import type { RenderedFault } from "./shape.ts";

/** What the state of things rules out, in the envelope of Format A. Only operators meet it. */
export function renderConflict({ message }: Conflict, requestId: string): RenderedFault {
  const body = { error: { message, type: "conflict_error", code: "conflict", param: null, request_id: requestId } };
  return { status: 409, headers: {}, body: JSON.stringify(body) };
}
