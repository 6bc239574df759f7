import type { KeyMode } from "../core/key-mode.ts";
import type { Caller } from "../gateway/open-request.ts";
import type { RequestTrail } from "../telemetry/request-trail.ts";
import type { RenderFault } from "../wire/errors/shape.ts";

/** One request at the edge, from its first byte to its last. */
export type Visit = {
  /** The id made for it, as a UUID, and as callers see it. */
  id: string;
  requestId: string;
  startedAtMs: number;
  trail: RequestTrail;
  render: RenderFault;
  origin: KeyMode;
  key: Caller | null;
  /** Time spent waiting for providers so far. */
  providerMs: number;
};

declare module "fastify" {
  interface FastifyRequest {
    visit: Visit;
  }
}
