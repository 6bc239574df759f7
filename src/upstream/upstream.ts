import type { ByteStream } from "../core/bytes/byte-stream.ts";
import type { CallCredential } from "../core/catalogue/call-credential.ts";
import type { Route } from "../core/catalogue/route.ts";

/** The credential of a route's provider. Throws, with words for an operator, when it cannot be had. */
export type CredentialOf = (
  route: Pick<Route, "provider" | "baseUrl" | "credentialRef" | "sealedCredential">,
) => CallCredential;

export type UpstreamAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: ByteStream;
};

/** Why a provider gave no answer at all. `crowded`: none of the connections we may have to it became free in time, or no file was left for one. */
export type UpstreamErrorReason = "refused" | "timed_out" | "broken" | "misconfigured" | "crowded";

export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly reason: UpstreamErrorReason;
  /** Whether the request may have reached the provider, which then may be at work on it. */
  readonly sent: boolean;

  constructor(reason: UpstreamErrorReason, cause: unknown, { sent = false } = {}) {
    super(`the provider's connection ${reason}`, { cause });
    this.reason = reason;
    this.sent = sent;
  }
}
