import type { Arrivals } from "../read/arrivals.ts";
import { createReadSmallBytes, createReadSmallForm } from "../read/body.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { clientRoutes } from "../client/client-routes.ts";
import { createReadTelemetry } from "../client/read-telemetry.ts";
import { createRequireOwnOrigin } from "../credential/own-origin.ts";
import type { PublicRoute } from "../public-route.ts";
import { createSessionCookie } from "../credential/session-cookie.ts";
import { createDeviceCookie } from "./device-cookie.ts";
import { deviceRoutes } from "./device-routes.ts";
import { oauthRoutes } from "./oauth-routes.ts";
import { createReadForm } from "./read-form.ts";
import type { HttpParts } from "../http-parts.ts";

/** How clients sign in, with the paths of Claude Code's gateway protocol. */
export function signInRoutes(
  { clientSignIn, holder, showClientUsage, publicUrl, address }: HttpParts,
  { callerAddress, arrivals }: { callerAddress: CallerAddress; arrivals: Arrivals },
): readonly PublicRoute[] {
  if (clientSignIn === null) return [];
  const isSecure = (): boolean => publicUrl().startsWith("https:");
  const shared = {
    ...clientSignIn,
    publicUrl,
    callerAddress,
    readForm: createReadForm(createReadSmallForm(arrivals)),
    cookie: createDeviceCookie("device", isSecure),
    browser: holder && {
      signInPerson: holder.signInPerson,
      cookie: createDeviceCookie("person", isSecure),
      session: createSessionCookie(isSecure),
    },
    requireOwnOrigin: createRequireOwnOrigin({ publicUrl, address }),
  };
  const readTelemetry = createReadTelemetry(createReadSmallBytes(arrivals));
  return [
    ...oauthRoutes(shared),
    ...deviceRoutes(shared),
    ...clientRoutes({ ...clientSignIn, showClientUsage, readTelemetry }),
  ];
}
