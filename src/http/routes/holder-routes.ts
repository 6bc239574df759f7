import type { Arrivals } from "../read/arrivals.ts";
import { createReadSmallBody } from "../read/body.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { createRequireOwnOrigin } from "../credential/own-origin.ts";
import type { PublicRoute } from "../public-route.ts";
import { getMe } from "./get-me.ts";
import { meGenerations } from "./me-generations.ts";
import { meSession } from "./me-session.ts";
import { meSessions } from "./me-sessions.ts";
import { createServeRead } from "../serve/serve-holder.ts";
import { createSessionCookie } from "../credential/session-cookie.ts";
import type { HttpParts } from "../http-parts.ts";

/** The key holder's API, below `/me`. */
export function holderRoutes(
  { holder, clientSignIn, publicUrl, address, equalCredentials }: HttpParts,
  beside: { callerAddress: CallerAddress; arrivals: Arrivals; generations: readonly PublicRoute[] },
): readonly PublicRoute[] {
  if (holder === null) return [];
  const { door, reads, changes, openSession } = holder;
  const { callerAddress, arrivals, generations } = beside;
  const cookie = createSessionCookie(() => publicUrl().startsWith("https:"));
  const requireOwnOrigin = createRequireOwnOrigin({ publicUrl, address });
  const readSmallBody = createReadSmallBody(arrivals);
  return [
    ...meSession({
      door,
      cookie,
      requireOwnOrigin,
      readSmallBody,
      callerAddress,
      waysIn: { sso: clientSignIn !== null },
    }),
    ...meSessions({ door, changes, cookie, requireOwnOrigin, callerAddress, equalCredentials }),
    ...meGenerations(generations, { openSession, cookie, requireOwnOrigin, callerAddress }),
    ...getMe(reads).map(createServeRead({ door, cookie, callerAddress, equalCredentials })),
  ];
}
