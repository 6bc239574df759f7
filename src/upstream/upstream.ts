import type { ByteStream } from "../core/byte-stream.ts";
import type { MemberTerms } from "../core/member-policy.ts";
import type { RouteTerms } from "../core/route-view.ts";
import type { SealedCredential } from "../core/sealed-credential.ts";

/** Where a call may go. Destinations come from the catalogue alone; nothing a caller sends can change one. */
export type Target = RouteTerms &
  MemberTerms & {
    id: string;
    baseUrl: string;
    credentialRef: string;
    /** The credential that was stored, where the reference says so. */
    sealedCredential?: SealedCredential | null;
  };

/** The credential of a target's provider; null when it wants none. Throws, with words for an operator, when it cannot be had. */
export type CredentialOf = (
  target: Pick<Target, "provider" | "baseUrl" | "credentialRef" | "sealedCredential">,
) => string | null;

export type UpstreamAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: ByteStream;
};

/** Why a provider gave no answer at all. `crowded`: none of the connections we may have to it became free in time. */
export type UpstreamFailure = "refused" | "timed_out" | "broken" | "misconfigured" | "crowded";

export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly reason: UpstreamFailure;

  constructor(reason: UpstreamFailure, cause: unknown) {
    super(`the provider's connection ${reason}`, { cause });
    this.reason = reason;
  }
}
