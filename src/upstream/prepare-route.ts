import { invariant } from "../core/invariant.ts";
import type { CallConvention, AnswerMode } from "./call-convention.ts";
import { DIALECT_CONVENTIONS } from "./dialect-conventions.ts";
import { type Quirks, quirksAt } from "./providers.ts";
import type { Route } from "../core/route.ts";
import { type CredentialOf, UpstreamError } from "./upstream.ts";

/** What every call to a route has in common. */
export type PreparedRoute = {
  origin: string;
  paths: Readonly<Record<AnswerMode, string>>;
  /** With those of the credential, unless it has to be exchanged first. */
  headers: Record<string, string>;
  quirks: Quirks;
  secret: string | null;
  convention: CallConvention;
};

/**
 * Works out a route's address and headers once per catalogue: routes are made anew when it is loaded, so a credential that
 * was replaced is picked up then. Only these headers go to a provider, and those a caller's format has listed.
 */
export function createPrepareRoute(
  credential: CredentialOf,
  conventions = DIALECT_CONVENTIONS,
): (route: Route) => PreparedRoute {
  const prepared = new WeakMap<Route, PreparedRoute>();
  return (route) => {
    const known = prepared.get(route);
    if (known) return known;
    const convention = conventions[route.dialect];
    invariant(convention, `a call to a provider that speaks ${route.dialect}`);
    const { origin, pathname } = new URL(route.baseUrl);
    const secret = orMisconfigured(() => credential(route));
    const pathOf = (answerMode: AnswerMode): string =>
      pathname.replace(/\/$/, "") + convention.path(answerMode, route.upstreamModel);
    const made = {
      origin,
      quirks: quirksAt(route.baseUrl),
      paths: { whole: pathOf("whole"), streamed: pathOf("streamed") },
      headers: {
        "content-type": "application/json",
        "user-agent": "tollgate",
        ...convention.headers,
        ...(secret === null || convention.exchange ? {} : convention.credential(secret, route)),
      },
      secret,
      convention,
    };
    prepared.set(route, made);
    return made;
  };
}

/** A credential that cannot be had is the operator's to mend; it must not look like a bug, nor keep other routes from serving. */
export function orMisconfigured<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UpstreamError("misconfigured", cause);
  }
}
