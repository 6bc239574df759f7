import type { Route } from "../../core/catalogue/route.ts";
import type { AnswerMode } from "../call-convention.ts";
import { DIALECT_CONVENTIONS } from "../dialect-conventions.ts";
import { type Quirks, quirksAt } from "../providers.ts";
import { type CredentialOf, UpstreamError } from "../upstream.ts";

/** What every call to a route has in common. */
export type PreparedRoute = {
  origin: string;
  paths: Readonly<Record<AnswerMode, string>>;
  /** With those of the credential. */
  headers: Record<string, string>;
  quirks: Quirks;
};

/** Where a route's calls go and how they are headed. Only these headers go to a provider, and those a caller's format has listed. */
export function prepareRoute(
  { baseUrl, dialect, upstreamModel }: Pick<Route, "baseUrl" | "dialect" | "upstreamModel">,
  secret: string | null,
  conventions = DIALECT_CONVENTIONS,
): PreparedRoute {
  const convention = conventions[dialect];
  const { origin, pathname } = new URL(baseUrl);
  const quirks = quirksAt(baseUrl);
  const pathOf = (answerMode: AnswerMode): string =>
    pathname.replace(/\/$/, "") + convention.path(answerMode, upstreamModel);
  return {
    origin,
    quirks,
    paths: { whole: pathOf("whole"), streamed: pathOf("streamed") },
    headers: {
      "content-type": "application/json",
      "user-agent": "tollgate",
      ...convention.headers,
      ...(secret === null ? {} : convention.credential(secret, quirks)),
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
    const made = prepareRoute(route, secretOf(route), conventions);
    prepared.set(route, made);
    return made;
  };

  /** One that cannot be had is the operator's to mend; it must not look like a bug, nor keep other routes from serving. */
  function secretOf(route: Route): string | null {
    try {
      return credential(route);
    } catch (cause) {
      throw new UpstreamError("misconfigured", cause);
    }
  }
}
