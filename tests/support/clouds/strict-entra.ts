import { execFileSync } from "node:child_process";
import { hash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asked, Told } from "./loopback-cloud.ts";
import { readJwt } from "./read-jwt.ts";
import { formOf } from "./strict-google.ts";

/** What a workload was given, and the token that it may be given for it. */
export const TENANT = "5f1c2d3e-0000-4000-8000-0123456789ab";
export const CLIENT = "9a8b7c6d-0000-4000-8000-ba9876543210";
export const CLIENT_SECRET = "Qx8Q~registered.once-and-shown-once_4";
export const POD_TOKEN = "eyJhbGciOiJSUzI1NiJ9.c3lzdGVtOnNlcnZpY2VhY2NvdW50.c2lnbmVk";
export const IDENTITY_HEADER = "853b9a84-5bfa-4b22-a3f3-0b9a43d9ad8a";
export const ENTRA_TOKEN = "eyJ0eXAiOiJKV1QifQ.aXNzdWVkLWJ5LWVudHJh.c2lnbmF0dXJl";
export const SCOPE = "https://cognitiveservices.azure.com/.default";
export const APP_SERVICE = "http://169.254.129.4:8081/msi/token";

const RESOURCE = "https://cognitiveservices.azure.com";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** What Microsoft's own libraries add, to be counted by. */
const TELEMETRY = /^(?:client_info|x-client-[\w-]+|x-ms-lib-capability|client-request-id)$/;

export type TestCertificate = { pem: string; certificate: string; key: string };

/** A certificate as an operator makes one, with the password of its key, if any. */
export function makeCertificate(password?: string): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const [keyFile, file] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const lock = password === undefined ? ["-nodes"] : ["-passout", `pass:${password}`];
    const about = ["-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=gateway", "-keyout", keyFile, "-out", file];
    execFileSync("openssl", ["req", "-x509", ...lock, ...about], { stdio: "ignore" });
    const [key, certificate] = [readFileSync(keyFile, "utf8"), readFileSync(file, "utf8")];
    return { pem: key + certificate, certificate, key };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Registered = { certificate?: string; nowMs?: () => number };

/** Microsoft's servers, as their pages describe them: what they do not describe is refused. */
export const answerAsEntra =
  ({ certificate, nowMs = Date.now }: Registered = {}) =>
  (asked: Asked): Told => {
    const { host, method, path } = asked;
    if (host === "login.microsoftonline.com" || host === "loopback") return issue(asked, certificate, nowMs());
    if (method !== "GET") return { status: 405, body: "" };
    if (host === "169.254.169.254" && path === "/metadata/identity/oauth2/token") return tellMachine(asked, nowMs());
    if (host === "169.254.129.4:8081" && path === "/msi/token") return tellApp(asked, nowMs());
    return { status: 404, body: "" };
  };

const refused = (error: string, code: number, { body }: Asked): Told => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description: `AADSTS${code}: Refused: ${body}`, error_codes: [code], trace_id: body },
});

function issue(asked: Asked, certificate: string | undefined, nowMs: number): Told {
  const given = formOf(asked);
  if (asked.path !== `/${TENANT}/oauth2/v2.0/token` || given === null) return refused("invalid_request", 900144, asked);
  const form = Object.fromEntries(Object.entries(given).filter(([name]) => !TELEMETRY.test(name)));
  const { client_id, scope, grant_type, ...proof } = form;
  if (grant_type !== "client_credentials") return refused("unsupported_grant_type", 70003, asked);
  if (client_id !== CLIENT) return refused("unauthorized_client", 700016, asked);
  if (scope !== SCOPE) return refused("invalid_scope", 70011, asked);
  const isProven = proof["client_secret"] === undefined ? isAssertion(proof, certificate, nowMs) : isSecret(proof);
  if (!isProven) return refused("invalid_client", 7000215, asked);
  return {
    status: 200,
    body: { token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599, access_token: ENTRA_TOKEN },
  };
}

const isSecret = ({ client_secret, ...more }: Record<string, string>): boolean =>
  client_secret === CLIENT_SECRET && Object.keys(more).length === 0;

function isAssertion(proof: Record<string, string>, certificate: string | undefined, nowMs: number): boolean {
  const { client_assertion = "", client_assertion_type, ...more } = proof;
  if (client_assertion_type !== ASSERTION_TYPE || Object.keys(more).length > 0) return false;
  if (certificate === undefined) return client_assertion === POD_TOKEN;
  const { publicKey, raw } = new X509Certificate(certificate);
  const { header = {}, claims = {} } = readJwt(client_assertion, publicKey) ?? {};
  const [nbf, exp] = [Number(claims["nbf"]), Number(claims["exp"])];
  return (
    header["alg"] === "PS256" &&
    header["typ"] === "JWT" &&
    header["x5t#S256"] === hash("sha256", raw, "base64url") &&
    claims["aud"] === `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/token` &&
    claims["iss"] === CLIENT &&
    claims["sub"] === CLIENT &&
    /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(String(claims["jti"])) &&
    Math.abs(nbf - nowMs / 1000) < 300 &&
    exp - nbf > 0 &&
    exp - nbf <= 600
  );
}

const isQuery = (query: Record<string, string>, version: string): boolean =>
  query["api-version"] === version &&
  query["resource"] === RESOURCE &&
  Object.keys(query).every((name) => ["api-version", "resource", "client_id"].includes(name));

function tellMachine(asked: Asked, nowMs: number): Told {
  const { headers, query } = asked;
  if (headers["metadata"] !== "true" || headers["x-forwarded-for"] !== undefined || !isQuery(query, "2018-02-01"))
    return refused("invalid_request", 90002, asked);
  const expires_on = String(Math.floor(nowMs / 1000) + 86_399);
  const issued = { access_token: ENTRA_TOKEN, expires_in: "86399", expires_on, not_before: "1", resource: RESOURCE };
  return { status: 200, body: { ...issued, client_id: query["client_id"] ?? CLIENT, token_type: "Bearer" } };
}

function tellApp(asked: Asked, nowMs: number): Told {
  const { headers, query } = asked;
  if (headers["x-identity-header"] !== IDENTITY_HEADER || !isQuery(query, "2019-08-01"))
    return { status: 400, body: { statusCode: 400, message: `Bad ${headers["x-identity-header"]}` } };
  const expires_on = String(Math.floor(nowMs / 1000) + 3_600);
  const issued = { access_token: ENTRA_TOKEN, expires_on, resource: RESOURCE, token_type: "Bearer" };
  return { status: 200, body: { ...issued, client_id: query["client_id"] ?? CLIENT } };
}
