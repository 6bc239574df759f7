import type { Caller } from "../gateway/open-request.ts";
import type { RequestTrail } from "../telemetry/request-trail.ts";

/** One request at the edge, from its first byte to its last. */
export type Visit = {
  /** The id made for it, as a UUID, and as callers see it. */
  id: string;
  requestId: string;
  startedAtMs: number;
  trail: RequestTrail;
  key: Caller | null;
  /** Time spent waiting for providers so far. */
  providerMs: number;
};
