import type { OpenSession } from "../../gateway/holder/open-session.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { RequireOwnOrigin } from "../credential/own-origin.ts";
import type { IdentifyCaller, PublicRoute } from "../public-route.ts";
import { HOLDER_ROUTE, keepPrivate } from "../serve/serve-holder.ts";
import type { SessionCookie } from "../credential/session-cookie.ts";

type Parts = {
  openSession: OpenSession;
  cookie: SessionCookie;
  requireOwnOrigin: RequireOwnOrigin;
  callerAddress: CallerAddress;
};

/**
 * POST /me/v1/…: generations of a page of ours for whoever signed in. Each is the route of the interface but for who is calling, so
 * that there is one way for money.
 */
export function meGenerations(
  routes: readonly PublicRoute[],
  { openSession, cookie, requireOwnOrigin, callerAddress }: Parts,
): readonly PublicRoute[] {
  const identify: IdentifyCaller = async ({ request, response }, heard) => {
    keepPrivate(response);
    requireOwnOrigin(request, "refused");
    return openSession({ token: cookie.read(request), address: () => callerAddress(request), ...heard });
  };
  return routes.map((route) => ({
    ...route,
    path: `/me${route.path}`,
    origins: HOLDER_ROUTE.origins,
    credential: { identify },
  }));
}
