import { createRequire } from "node:module";
import type { Installed } from "../install-once.ts";
import { cachedPackages, installPackages, load } from "../npm-packages.ts";
import type { Asked, LoopbackCloud, Told } from "./loopback-cloud.ts";
import { SCOPE, TENANT } from "./strict-entra.ts";

type Variables = Readonly<Record<string, string>>;

/** A cloud's own library, which tells whether the servers of our tests are as strict as the real ones. */
export type OfficialLibrary = {
  name: string;
  install: () => Promise<Installed>;
  /** If an earlier run of the conformance suite has installed it. */
  cached: () => Promise<Installed>;
  /** The token that it gets, as a process with these variables. */
  ask: (installed: Installed, cloud: LoopbackCloud, variables: Variables) => Promise<string | null>;
};

const GOOGLE = { "google-auth-library": "11.3.4" };
const MICROSOFT = { "@azure/identity": "4.14.1" };

type GoogleLibrary = {
  GoogleAuth: new (options: { scopes: string }) => { getAccessToken: () => Promise<string | null> };
};
type Gaxios = { prototype: { request: (this: object, options: object) => Promise<unknown> } };

export const googleLibrary: OfficialLibrary = {
  name: "google-auth-library",
  install: () => installPackages("google-auth", GOOGLE),
  cached: () => cachedPackages("google-auth", GOOGLE),
  ask: async (installed, cloud, variables) => {
    const { GoogleAuth } = load<GoogleLibrary>(installed, "google-auth-library");
    const { prototype } = load<{ Gaxios: Gaxios }>(installed, "gaxios").Gaxios;
    const { request } = prototype;
    const fetchImplementation = (url: string | URL, options?: RequestInit): Promise<Response> =>
      fetch(cloud.leadTo(String(url)), options);
    // Whatever part of the library asks, and whatever host it means, it asks this server.
    prototype.request = function (this: object, options) {
      return request.call(this, { ...options, fetchImplementation });
    };
    try {
      // Else it asks which project it is in, and whether there is a metadata server at all.
      const known = { GOOGLE_CLOUD_PROJECT: "acme-prod", METADATA_SERVER_DETECTION: "assume-present" };
      const auth = (): Promise<string | null> =>
        new GoogleAuth({ scopes: "https://www.googleapis.com/auth/cloud-platform" }).getAccessToken();
      return await asProcessWith({ ...known, ...variables }, auth);
    } finally {
      prototype.request = request;
    }
  },
};

type PipelineRequest = {
  url: string;
  method: string;
  headers: { toJSON: () => Record<string, string> };
  body?: string;
};
type HttpClient = { sendRequest: (request: PipelineRequest) => Promise<object> };
type MicrosoftLibrary = {
  DefaultAzureCredential: new (options: { httpClient: HttpClient }) => {
    getToken: (scope: string) => Promise<{ token: string }>;
  };
};

export const microsoftLibrary: OfficialLibrary = {
  name: "@azure/identity",
  install: () => installPackages("azure-identity", MICROSOFT),
  cached: () => cachedPackages("azure-identity", MICROSOFT),
  ask: async (installed, cloud, variables) => {
    forget(installed);
    const { DefaultAzureCredential } = load<MicrosoftLibrary>(installed, "@azure/identity");
    const httpClient = { sendRequest: (request: PipelineRequest) => pass(request, installed, cloud) };
    // The sources of servers alone: no command line, no editor.
    const { token } = await asProcessWith({ ...variables, AZURE_TOKEN_CREDENTIALS: "prod" }, () =>
      new DefaultAzureCredential({ httpClient }).getToken(SCOPE),
    );
    return token;
  },
};

async function pass(request: PipelineRequest, installed: Installed, cloud: LoopbackCloud): Promise<object> {
  const { url, method, headers, body = null } = request;
  const answer = await fetch(cloud.leadTo(url), { method, headers: headers.toJSON(), body, redirect: "manual" });
  type Pipeline = { createHttpHeaders: (from: object) => object };
  const { createHttpHeaders } = load<Pipeline>(installed, "@azure/core-rest-pipeline");
  const told = createHttpHeaders(Object.fromEntries(answer.headers));
  return { request, status: answer.status, headers: told, bodyAsText: await answer.text() };
}

/** The library keeps tokens and sources of managed identities for as long as it is loaded. */
function forget({ folder }: Installed): void {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (folder !== null && path.startsWith(folder)) delete cache[path];
}

const CLOUDS = /^(?:AZURE|IDENTITY|MSI|IMDS|GOOGLE|GCE|METADATA)_/;

/** Both libraries read the environment of the process. Afterwards it is as it was. */
async function asProcessWith<Result>(variables: Variables, run: () => Promise<Result>): Promise<Result> {
  const before = { ...process.env };
  const names = [...Object.keys(before).filter((name) => CLOUDS.test(name)), ...Object.keys(variables)];
  for (const name of names) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const name of names) delete process.env[name];
    for (const name of names) if (before[name] !== undefined) process.env[name] = before[name];
  }
}

/** What Microsoft's library asks before it asks for a token: where to ask, and whether a machine has identities. */
export function answerToDiscovery({ path, host, headers }: Asked): Told | null {
  if (host === "169.254.169.254" && headers["metadata"] === undefined) return { status: 400, body: "" };
  if (!/\/\.well-known\/openid-configuration$|\/discovery\/instance$/.test(path)) return null;
  const at = `https://login.microsoftonline.com/${TENANT}`;
  const endpoints = {
    token_endpoint: `${at}/oauth2/v2.0/token`,
    authorization_endpoint: `${at}/oauth2/v2.0/authorize`,
  };
  return { status: 200, body: { ...endpoints, issuer: `${at}/v2.0`, jwks_uri: `${at}/discovery/v2.0/keys` } };
}
