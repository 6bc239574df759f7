import type { ServerResponse } from "node:http";
import type { ClientTokens, DeviceSignIn } from "../../core/people/device-sign-in.ts";
import type { OAuthError } from "../../wire/errors/oauth.ts";
import { retryAfter } from "../../wire/errors/retry-advice.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { type Exchange, NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";
import { type ReadForm, sole } from "./read-form.ts";
import { SIGN_IN_ROUTE } from "./sign-in-route.ts";
import { visitorOf } from "./visitor.ts";

export type OAuthRouteParts = {
  deviceSignIn: DeviceSignIn;
  readForm: ReadForm;
  callerAddress: CallerAddress;
  publicUrl: () => string;
};

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const NO_STORE = { "cache-control": "no-store" };

type Finished = ReturnType<PublicRoute["work"]>;

/** What clients call: they find the endpoints, ask for a code, poll, refresh and sign out. */
export const oauthRoutes = (parts: OAuthRouteParts): readonly PublicRoute[] => [
  {
    ...SIGN_IN_ROUTE,
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    work: (exchange) => answer(exchange, discovery(parts.publicUrl())),
  },
  {
    ...SIGN_IN_ROUTE,
    method: "POST",
    path: "/oauth/device_authorization",
    work: (exchange) => startDevice(parts, exchange),
  },
  { ...SIGN_IN_ROUTE, method: "POST", path: "/oauth/token", work: (exchange) => giveToken(parts, exchange) },
  { ...SIGN_IN_ROUTE, method: "POST", path: "/oauth/revoke", work: (exchange) => revoke(parts, exchange) },
];

/** Clients take an endpoint only if it is absolute and of the origin they were told. */
const discovery = (base: string): object => ({
  issuer: base,
  device_authorization_endpoint: `${base}/oauth/device_authorization`,
  token_endpoint: `${base}/oauth/token`,
  revocation_endpoint: `${base}/oauth/revoke`,
  response_types_supported: [],
  grant_types_supported: [DEVICE_GRANT, "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  scopes_supported: ["openid", "profile", "email"],
  gateway_protocol_version: 1,
});

async function startDevice(
  { deviceSignIn, readForm, callerAddress, publicUrl }: OAuthRouteParts,
  exchange: Exchange,
): Finished {
  await readForm(exchange);
  const started = await deviceSignIn.start(visitorOf(exchange, callerAddress));
  const page = `${publicUrl()}/device`;
  return answer(exchange, {
    device_code: started.deviceCode,
    user_code: started.userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${started.userCode}`,
    expires_in: started.expiresInSeconds,
    interval: started.intervalSeconds,
  });
}

async function giveToken({ deviceSignIn, readForm, callerAddress }: OAuthRouteParts, exchange: Exchange): Finished {
  const from = visitorOf(exchange, callerAddress);
  const form = await readForm(exchange);
  const grantType = sole(form, "grant_type");
  if (grantType === null) return refuse(exchange, 400, "invalid_request", "Send grant_type.");
  if (grantType === DEVICE_GRANT) {
    const deviceCode = sole(form, "device_code");
    if (deviceCode === null) return refuse(exchange, 400, "invalid_request", "Send device_code.");
    const outcome = await deviceSignIn.redeem(deviceCode, from);
    return typeof outcome === "object" ? answer(exchange, tokensBody(outcome)) : refuse(exchange, ...POLLS[outcome]);
  }
  if (grantType !== "refresh_token")
    return refuse(exchange, 400, "unsupported_grant_type", "Send a device code or a refresh token.");
  const refreshToken = sole(form, "refresh_token");
  if (refreshToken === null) return refuse(exchange, 400, "invalid_request", "Send refresh_token.");
  const tokens = await deviceSignIn.refresh(refreshToken, from);
  if (tokens === null) return refuse(exchange, 401, "invalid_grant", "The session is over. Sign in again.");
  return answer(exchange, tokensBody(tokens));
}

/** Whatever was sent: who has a token that is good for nothing has what they wanted. [RFC 7009 2.2] */
async function revoke({ deviceSignIn, readForm, callerAddress }: OAuthRouteParts, exchange: Exchange): Finished {
  const token = sole(await readForm(exchange), "token");
  if (token === null) return refuse(exchange, 400, "invalid_request", "Send token.");
  await deviceSignIn.revoke(token, visitorOf(exchange, callerAddress));
  return answer(exchange, {});
}

const POLLS: Record<"pending" | "too_fast" | "denied" | "expired", [number, OAuthError, string]> = {
  pending: [400, "authorization_pending", "The person has not decided yet."],
  too_fast: [429, "slow_down", "Wait 5 seconds longer between requests."],
  denied: [400, "access_denied", "The person or the gateway denied this client."],
  expired: [400, "expired_token", "The code is unknown, used or over 10 minutes old. Start again."],
};

const tokensBody = ({ accessToken, refreshToken, expiresInSeconds }: ClientTokens): object => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  token_type: "Bearer",
  expires_in: expiresInSeconds,
});

type Asked = { response: ServerResponse; context: Pick<Exchange["context"], "requestId"> };

function answer({ response, context: { requestId } }: Asked, value: object): Finished {
  const bytesOut = sendJson(response, { requestId, value, headers: NO_STORE });
  return Promise.resolve({ ...NOTHING_GENERATED, status: 200, bytesOut });
}

function refuse(
  { response, context: { requestId } }: Asked,
  status: number,
  error: OAuthError,
  description: string,
): Finished {
  const value = { error, error_description: description };
  const headers = { ...NO_STORE, ...(status === 429 && { "retry-after": retryAfter(5) }) };
  const bytesOut = sendJson(response, { requestId, value, status, headers });
  return Promise.resolve({ ...NOTHING_GENERATED, status, bytesOut });
}
