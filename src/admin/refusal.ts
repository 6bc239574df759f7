import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { Forbidden } from "../core/forbidden.ts";
import { renderConflict } from "../wire/errors/conflict.ts";
import { renderForbidden } from "../wire/errors/forbidden.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import type { RenderedFault } from "../wire/errors/shape.ts";

/** What went wrong as the admin API says it: the envelope of Format A, 409 for what the state of things rules out, and 403 for what a role does. */
export function renderRefusal(error: unknown, requestId: string): RenderedFault {
  if (error instanceof Conflict) return renderConflict(error, requestId);
  if (error instanceof Forbidden) return renderForbidden(error, requestId);
  return renderFormatA(faultOf(error), requestId);
}

export const isBug = (error: unknown): boolean =>
  !(error instanceof Conflict) && !(error instanceof Forbidden) && faultOf(error).code === "internal_error";

const CANNOT_BE_READ = "The body can't be read as JSON.";
/** In words of our own: what the parser says shows a piece of the body. */
const UNREADABLE: Readonly<Record<number, string>> = {
  413: "The body is too large for this operation.",
  415: "Send the body as application/json.",
};

function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new Fault("invalid_request", UNREADABLE[status] ?? CANNOT_BE_READ);
  return new Fault("internal_error", "Unexpected gateway error. The log has a line with this request id.", {
    cause: error,
  });
}
