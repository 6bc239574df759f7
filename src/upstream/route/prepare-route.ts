import type { CallCredential, CallSigner, SignableCall } from "../../core/catalogue/call-credential.ts";
import type { Route } from "../../core/catalogue/route.ts";
import type { AnswerMode, CallConvention } from "../call-convention.ts";
import { DIALECT_CONVENTIONS } from "../dialect-conventions.ts";
import type { Unframe } from "../frames/unframe.ts";
import { conventionAt } from "../platform/platforms.ts";
import type { Quirks } from "../providers.ts";
import { type CredentialOf, UpstreamError } from "../upstream.ts";

/** What every call to a route has in common. */
export type PreparedRoute = {
  origin: string;
  paths: Readonly<Record<AnswerMode | "count", string>>;
  /** With those of the credential. */
  headers: Record<string, string>;
  quirks: Quirks;
  /** What becomes of the headers that a call is told for its caller; null: they go along as they are. */
  told: NonNullable<CallConvention["told"]> | null;
  /** Makes server-sent events of a streamed answer; null: it is some. */
  unframe: Unframe | null;
  /** What makes the headers of a credential that ends; null: they are among `headers`, or there are none. */
  signer: CallSigner | null;
};

/** The headers of a call with what a credential that ends makes of it. One that cannot be had in time is the operator's to mend. */
export async function signed(
  call: SignableCall,
  signer: CallSigner,
  timeoutMs: number,
): Promise<Record<string, string>> {
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLate.reject(new Error("no credential in time")), timeoutMs);
  try {
    return { ...call.headers, ...(await Promise.race([signer.sign(call), tooLate.promise])) };
  } catch (cause) {
    throw new UpstreamError("misconfigured", cause);
  } finally {
    clearTimeout(timer);
  }
}

/** Where a route's calls go and how they are headed. Only these headers go to a provider, and those a caller's format has listed. */
export function prepareRoute(
  route: Pick<Route, "baseUrl" | "dialect" | "upstreamModel" | "platform">,
  credential: CallCredential,
  conventions = DIALECT_CONVENTIONS,
): PreparedRoute {
  const { baseUrl, upstreamModel } = route;
  const { convention, quirks } = conventionAt(route, conventions);
  const { path, countPath = (model) => `${path("whole", model)}/count_tokens` } = convention;
  const { origin, pathname } = new URL(baseUrl);
  const below = (operation: string): string => pathname.replace(/\/$/, "") + operation;
  const isSecret = typeof credential === "string";
  return {
    origin,
    quirks,
    signer: isSecret ? null : credential,
    told: convention.told ?? null,
    unframe: convention.unframe ?? null,
    paths: {
      whole: below(path("whole", upstreamModel)),
      streamed: below(path("streamed", upstreamModel)),
      count: below(countPath(upstreamModel)),
    },
    headers: {
      "content-type": "application/json",
      "user-agent": "tollgate",
      ...convention.headers,
      ...(isSecret ? convention.credential(credential, quirks) : {}),
    },
  };
}

/**
 * Prepares a route once per catalogue: routes are made anew when it is loaded, so a credential that was replaced is picked up
 * then.
 */
export function createPrepareRoute(
  credential: CredentialOf,
  conventions = DIALECT_CONVENTIONS,
): (route: Route) => PreparedRoute {
  const prepared = new WeakMap<Route, PreparedRoute>();
  return (route) => {
    const known = prepared.get(route);
    if (known) return known;
    const made = prepareRoute(route, credentialOf(route), conventions);
    prepared.set(route, made);
    return made;
  };

  /** One that cannot be had is the operator's to mend; it must not look like a bug, nor keep other routes from serving. */
  function credentialOf(route: Route): CallCredential {
    try {
      return credential(route);
    } catch (cause) {
      throw new UpstreamError("misconfigured", cause);
    }
  }
}
