import type { HolderDoor } from "../../gateway/holder/holder-door.ts";
import { type SessionBody, signInSchema, type WaysInBody } from "../../wire/holder/holder.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { validate } from "../../wire/validate.ts";
import type { createReadSmallBody } from "../read/body.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { RequireOwnOrigin } from "../credential/own-origin.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";
import { HOLDER_ROUTE, keepPrivate, noteHolder } from "../serve/serve-holder.ts";
import type { SessionCookie } from "../credential/session-cookie.ts";

type Parts = {
  door: HolderDoor;
  cookie: SessionCookie;
  requireOwnOrigin: RequireOwnOrigin;
  readSmallBody: ReturnType<typeof createReadSmallBody>;
  callerAddress: CallerAddress;
  waysIn: { sso: boolean };
};

const MAX_BYTES = 4_096;
const MAX_DEPTH = 4;

/** POST /me/session: a key, posted once, becomes a session that no script can read. */
const postSession = ({ door, cookie, requireOwnOrigin, readSmallBody, callerAddress }: Parts): PublicRoute => ({
  ...HOLDER_ROUTE,
  method: "POST",
  path: "/me/session",
  work: async ({ context, request, response }) => {
    keepPrivate(response);
    requireOwnOrigin(request);
    const { value } = parseBody(await readSmallBody({ request, response, maxBytes: MAX_BYTES }), MAX_DEPTH);
    const { key: secret } = validate(signInSchema, value);
    const address = (): string | null => callerAddress(request);
    const signedIn = await door.signIn({ secret, replaced: cookie.read(request), address });
    noteHolder(context, signedIn);
    const { prefix, label, mode } = signedIn.key;
    const body: SessionBody = {
      object: "key_session",
      key: { prefix, label, mode },
      expires_at: new Date(signedIn.expiresAtMs).toISOString(),
    };
    const headers = { "set-cookie": cookie.set(signedIn.token, signedIn.lifetimeMs) };
    const bytesOut = sendJson(response, { requestId: context.requestId, value: body, headers, status: 201 });
    return { ...NOTHING_GENERATED, status: 201, bytesOut };
  },
});

/** DELETE /me/session: ends it here and for whoever else has it. Without one there is nothing to do. */
const deleteSession = ({ door, cookie, requireOwnOrigin }: Parts): PublicRoute => ({
  ...HOLDER_ROUTE,
  method: "DELETE",
  path: "/me/session",
  work: async ({ context: { requestId }, request, response }) => {
    keepPrivate(response);
    requireOwnOrigin(request);
    const token = cookie.read(request);
    if (token !== null) await door.signOut(token);
    response.writeHead(204, { "set-cookie": cookie.clear(), "x-request-id": requestId, "request-id": requestId });
    response.end();
    return { ...NOTHING_GENERATED, status: 204 };
  },
});

/** GET /me/sign-in: whether people can sign in here without a key. */
const getWaysIn = ({ waysIn }: Parts): PublicRoute => ({
  ...HOLDER_ROUTE,
  method: "GET",
  path: "/me/sign-in",
  work: ({ context: { requestId }, response }) => {
    keepPrivate(response);
    const value: WaysInBody = { object: "ways_in", ...waysIn };
    const bytesOut = sendJson(response, { requestId, value });
    return Promise.resolve({ ...NOTHING_GENERATED, status: 200, bytesOut });
  },
});

export const meSession = (parts: Parts): readonly PublicRoute[] => [
  postSession(parts),
  deleteSession(parts),
  getWaysIn(parts),
];
