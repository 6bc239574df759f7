import { generateKeyPairSync } from "node:crypto";
import type { Asked, Told } from "./loopback-cloud.ts";
import { readJwt } from "./read-jwt.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const FORM = "application/x-www-form-urlencoded";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** What a workload was given, and the tokens that it may be given for it. */
export const ACCOUNT = "gateway@acme-prod.iam.gserviceaccount.com";
export const SUBJECT_TOKEN = "eyJhbGciOiJSUzI1NiJ9.c3ViamVjdC1vZi10aGUtcG9k.c2lnbmF0dXJl";
export const FEDERATED_TOKEN = "ya29.d.federated-B7Kq2Xw9";
export const GOOGLE_TOKEN = "ya29.c.issued-M4Zt8Rn1Lp6";
export const AUDIENCE =
  "//iam.googleapis.com/projects/123456/locations/global/workloadIdentityPools/pool/providers/oidc";
export const IMPERSONATION = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${ACCOUNT}:generateAccessToken`;

/** As `gcloud` writes it. */
export const KEY_FILE = {
  type: "service_account",
  project_id: "acme-prod",
  private_key_id: "f0c1d2e3a4b596877869",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  client_email: ACCOUNT,
  client_id: "1234567890",
  token_uri: "https://oauth2.googleapis.com/token",
  universe_domain: "googleapis.com",
};

export const FEDERATION_FILE = {
  type: "external_account",
  universe_domain: "googleapis.com",
  audience: AUDIENCE,
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/token", format: { type: "text" } },
};

/** Google's servers, as their pages describe them: what they do not describe is refused. */
export const answerAsGoogle =
  (nowMs: () => number = Date.now) =>
  (asked: Asked): Told => {
    if (asked.host === "oauth2.googleapis.com") return tradeAssertion(asked, nowMs());
    if (asked.host === "sts.googleapis.com") return tradeSubjectToken(asked);
    if (asked.host === "iamcredentials.googleapis.com") return impersonate(asked, nowMs());
    if (asked.host === "idp.example") return { status: 200, body: { nested: SUBJECT_TOKEN } };
    return tellMetadata(asked);
  };

const refused = (error: string, asked: Asked): Told => ({
  status: 400,
  // Their words repeat what was sent more often than one would think.
  body: { error, error_description: `Refused: ${asked.body}`, error_uri: asked.body },
});

/** The members of a form that has each of them once. */
export function formOf({ method, headers, body }: Asked): Record<string, string> | null {
  const members = [...new URLSearchParams(body)];
  const once = new Set(members.map(([name]) => name)).size === members.length;
  const isForm = headers["content-type"]?.split(";")[0] === FORM;
  return method === "POST" && isForm && once ? Object.fromEntries(members) : null;
}

const hasExactly = (form: object, names: string[]): boolean => Object.keys(form).sort().join() === names.sort().join();

function tradeAssertion(asked: Asked, nowMs: number): Told {
  const form = formOf(asked);
  if (asked.path !== "/token" || form === null || !hasExactly(form, ["assertion", "grant_type"]))
    return refused("invalid_request", asked);
  if (form["grant_type"] !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
    return refused("unsupported_grant_type", asked);
  const jwt = readJwt(form["assertion"] ?? "", publicKey);
  const { header = {}, claims = {} } = jwt ?? {};
  const [iat, exp] = [Number(claims["iat"]), Number(claims["exp"])];
  const isGood =
    header["alg"] === "RS256" &&
    (header["kid"] ?? KEY_FILE.private_key_id) === KEY_FILE.private_key_id &&
    claims["iss"] === ACCOUNT &&
    claims["scope"] === SCOPE &&
    claims["aud"] === KEY_FILE.token_uri &&
    Math.abs(iat - nowMs / 1000) < 300 &&
    exp > iat &&
    exp - iat <= 3600;
  if (!isGood) return refused("invalid_grant", asked);
  return { status: 200, body: { access_token: GOOGLE_TOKEN, expires_in: 3599, token_type: "Bearer" } };
}

function tradeSubjectToken(asked: Asked): Told {
  const form = formOf(asked);
  if (asked.path !== "/v1/token" || form === null) return refused("invalid_request", asked);
  const wanted: Record<string, string> = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: AUDIENCE,
    scope: SCOPE,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: SUBJECT_TOKEN,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  };
  if (!hasExactly(form, Object.keys(wanted))) return refused("invalid_request", asked);
  if (Object.entries(wanted).some(([name, value]) => form[name] !== value)) return refused("invalid_grant", asked);
  const issued = { issued_token_type: wanted["requested_token_type"], token_type: "Bearer", expires_in: 3600 };
  return { status: 200, body: { access_token: FEDERATED_TOKEN, ...issued } };
}

function impersonate(asked: Asked, nowMs: number): Told {
  const denied = { code: 403, status: "PERMISSION_DENIED", message: `Denied to ${asked.headers["authorization"]}` };
  if (asked.method !== "POST" || `https://${asked.host}${asked.path}` !== IMPERSONATION)
    return { status: 404, body: "" };
  if (asked.headers["authorization"] !== `Bearer ${FEDERATED_TOKEN}`) return { status: 403, body: { error: denied } };
  const { scope, lifetime, ...more } = JSON.parse(asked.body) as Record<string, unknown>;
  const seconds = Number(/^(\d+)s$/.exec(String(lifetime))?.[1]);
  const isGood = JSON.stringify(scope) === JSON.stringify([SCOPE]) && seconds <= 43_200 && hasExactly(more, []);
  if (!isGood) return { status: 400, body: { error: { ...denied, status: "INVALID_ARGUMENT" } } };
  const expireTime = new Date(nowMs + seconds * 1000).toISOString();
  return { status: 200, body: { accessToken: GOOGLE_TOKEN, expireTime } };
}

function tellMetadata({ method, path, query, headers }: Asked): Told {
  const flavor = { "Metadata-Flavor": "Google" };
  if (headers["metadata-flavor"] !== "Google" || headers["x-forwarded-for"] !== undefined)
    return { status: 403, body: "Missing Metadata-Flavor:Google header." };
  const isKnown =
    path === "/computeMetadata/v1/instance/service-accounts/default/token" && hasExactly(query, ["scopes"]);
  if (method !== "GET" || !isKnown || query["scopes"] !== SCOPE) return { status: 404, headers: flavor, body: "" };
  return { status: 200, headers: flavor, body: { access_token: GOOGLE_TOKEN, expires_in: 1799, token_type: "Bearer" } };
}
