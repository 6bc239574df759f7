import { Fault } from "../../core/fault.ts";
import { redact } from "../../telemetry/log/redact.ts";

const LONGEST_SHOWN = 200;

/** What other gateways and the providers themselves serve below /v1, and this one does not. */
const OTHER_SERVICES =
  /^(?:\/token)?\/v1\/(assistants|audio|batches|completions|containers|conversations|evals|files|fine_tuning|images|messages\/batches|moderations|organization|realtime|rerank|skills|threads|uploads|vector_stores|videos)(?:\/|$)/;

/** Names the path and what was probably meant. The usual mistake is a client that adds `/v1` to a base URL that has it. */
export function unknownPath(path: string, nearest: string | null): Fault {
  return new Fault("not_found", `There is nothing at ${shown(path)}. ${advice(path, nearest)}`);
}

export const wrongMethod = (path: string, method: string, allowed: readonly string[]): Fault =>
  new Fault("method_not_allowed", `${shown(path)} accepts ${allowed.join(" and ")}, not ${method}.`);

/** Codex falls back to HTTP at once when it gets this. [interface decision 41] */
export const socketsOff = (): Fault =>
  new Fault(
    "upgrade_required",
    "Responses over WebSocket are off. Send POST /v1/responses, or ask the operator to set `websocket.enabled: on`.",
  );

/** A path may be of any length, and somebody may have put a key into it. */
const shown = (path: string): string => redact(path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path);

function advice(path: string, nearest: string | null): string {
  if (path.includes("/v1/v1/")) return "Remove /v1 from the client's base URL: the client adds it.";
  if (OTHER_SERVICES.test(path))
    return "This gateway serves text generation and embeddings only: /v1/chat/completions, /v1/responses, /v1/messages and /v1/embeddings.";
  if (nearest !== null) return `Did you mean ${nearest}?`;
  return "Paths start with /v1, or with /token/v1 for token-budget keys. GET /docs lists them.";
}
