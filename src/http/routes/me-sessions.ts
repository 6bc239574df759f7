import type { HolderDoor } from "../../gateway/holder/holder-door.ts";
import type { HolderChanges } from "../../gateway/holder/holder-reads.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { type EqualCredentials, extractCredential } from "../credential/credential.ts";
import type { RequireOwnOrigin } from "../credential/own-origin.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";
import { HOLDER_ROUTE, keepPrivate, noteHolder } from "../serve/serve-holder.ts";
import type { SessionCookie } from "../credential/session-cookie.ts";

type Parts = {
  door: Pick<HolderDoor, "read">;
  changes: HolderChanges;
  cookie: SessionCookie;
  requireOwnOrigin: RequireOwnOrigin;
  callerAddress: CallerAddress;
  equalCredentials: EqualCredentials;
};

/** DELETE /me/sessions and /me/sessions/{id}: a signed-in person signs out of their other clients, or of one. */
export const meSessions = (parts: Parts): readonly PublicRoute[] => [
  endRoute("/me/sessions", () => null, parts),
  endRoute("/me/sessions/*", (below) => below, parts),
];

const endRoute = (path: string, which: (below: string) => string | null, parts: Parts): PublicRoute => ({
  ...HOLDER_ROUTE,
  method: "DELETE",
  path,
  work: async ({ context, request, response, below }) => {
    keepPrivate(response);
    // A page of another site can have a browser send the cookie, and no header of its own.
    parts.requireOwnOrigin(request);
    const shown = {
      secret: extractCredential(request.rawHeaders, "bearer_or_header", parts.equalCredentials),
      token: parts.cookie.read(request),
      address: () => parts.callerAddress(request),
    };
    const value = await parts.door.read(shown, (holder) => {
      noteHolder(context, holder);
      return parts.changes.endSessions(holder, which(below));
    });
    const bytesOut = sendJson(response, { requestId: context.requestId, value });
    return { ...NOTHING_GENERATED, status: 200, bytesOut };
  },
});
