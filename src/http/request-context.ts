import type { Caller } from "../gateway/open-request.ts";
import type { Share } from "./read/payer-shares.ts";
import type { RequestLog } from "../telemetry/request-log.ts";

/** One request at the edge, from its first byte to its last. */
export type RequestContext = {
  /** The id made for it, as a UUID, and as callers see it. */
  id: string;
  requestId: string;
  startedAtMs: number;
  log: RequestLog;
  caller: Caller | null;
  /** Of what all requests share; null without a caller. */
  share: Share | null;
  /** Time spent waiting for providers so far. */
  providerMs: number;
};
