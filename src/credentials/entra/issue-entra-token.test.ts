import { describe, expect, test } from "vitest";
import { type Asked, type LoopbackCloud, startCloud } from "../../../tests/support/clouds/loopback-cloud.ts";
import { failureOf, type Given, loopbackSources, piecesOf } from "../../../tests/support/clouds/loopback-sources.ts";
import {
  answerAsEntra,
  APP_SERVICE,
  CLIENT,
  CLIENT_SECRET,
  ENTRA_TOKEN,
  IDENTITY_HEADER,
  makeCertificate,
  POD_TOKEN,
  SCOPE,
  TENANT,
} from "../../../tests/support/clouds/strict-entra.ts";
import { AmbientError } from "../ambient/ambient.ts";
import { describeEntraSource, issueEntraToken } from "./issue-entra-token.ts";

const NOW_MS = Date.parse("2026-11-19T12:00:00.400Z");
const NOW_S = Math.floor(NOW_MS / 1000);
const CLIENT_VARIABLES = { AZURE_TENANT_ID: TENANT, AZURE_CLIENT_ID: CLIENT };
const SECRET = { ...CLIENT_VARIABLES, AZURE_CLIENT_SECRET: CLIENT_SECRET };
const CERTIFICATE = { ...CLIENT_VARIABLES, AZURE_CLIENT_CERTIFICATE_PATH: "/run/client.pem" };
const WORKLOAD = { ...CLIENT_VARIABLES, AZURE_FEDERATED_TOKEN_FILE: "/run/token" };
const APP = { IDENTITY_ENDPOINT: APP_SERVICE, IDENTITY_HEADER };
const registered = makeCertificate();
const other = makeCertificate();

const given = (variables: Record<string, string>, files: Record<string, string> = {}): Given => ({
  variables,
  files: { "/run/token": POD_TOKEN, "/run/client.pem": registered.pem, ...files },
  nowMs: () => NOW_MS,
});
const issueFrom = (cloud: LoopbackCloud, what: Given, signal = new AbortController().signal) =>
  issueEntraToken(loopbackSources(cloud, what), SCOPE)(signal);
const startEntra = (certificate?: string): Promise<LoopbackCloud> =>
  startCloud(answerAsEntra({ nowMs: () => NOW_MS, ...(certificate === undefined ? {} : { certificate }) }));
const places = (asked: readonly Asked[]): string[] => asked.map(({ method, host, path }) => `${method} ${host}${path}`);

const LOGIN = `POST login.microsoftonline.com/${TENANT}/oauth2/v2.0/token`;
const MACHINE = "GET 169.254.169.254/metadata/identity/oauth2/token";

test.each([
  ["a client secret", SECRET, LOGIN, NOW_MS + 3_599_000],
  ["a workload identity", WORKLOAD, LOGIN, NOW_MS + 3_599_000],
  ["the identity of an app", APP, "GET 169.254.129.4:8081/msi/token", (NOW_S + 3_600) * 1000],
  ["the identity of a machine", {}, MACHINE, (NOW_S + 86_399) * 1000],
])("%s is traded for a token", async (_name, variables, place, expiresAtMs) => {
  await using cloud = await startEntra();
  const issued = await issueFrom(cloud, given(variables));

  expect(issued.value.reveal()).toBe(ENTRA_TOKEN);
  expect(issued.expiresAtMs).toBe(expiresAtMs);
  expect(places(cloud.asked)).toEqual([place]);
});

describe("a client certificate", () => {
  const locked = makeCertificate("opens-the-key-file");

  test.each([
    ["key first", registered.certificate, {}, registered.pem],
    ["certificate first", registered.certificate, {}, registered.certificate + registered.key],
    ["beside others", registered.certificate, {}, other.certificate + registered.pem],
    ["with lines of Windows", registered.certificate, {}, registered.pem.replaceAll("\n", "\r\n")],
    ["with a password", locked.certificate, { AZURE_CLIENT_CERTIFICATE_PASSWORD: "opens-the-key-file" }, locked.pem],
    ["with a chain", registered.certificate, { AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: "true" }, registered.pem],
  ])("signs an assertion: %s", async (_name, certificate, variables, pem) => {
    await using cloud = await startEntra(certificate);
    const issued = await issueFrom(cloud, given({ ...CERTIFICATE, ...variables }, { "/run/client.pem": pem }));

    expect(issued.value.reveal()).toBe(ENTRA_TOKEN);
    expect(places(cloud.asked)).toEqual([LOGIN]);
    const [head] = (new URLSearchParams(cloud.asked[0]?.body).get("client_assertion") ?? "").split(".");
    const chain = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, "");
    const { x5c } = JSON.parse(Buffer.from(head ?? "", "base64url").toString()) as { x5c?: string[] };
    expect(x5c).toEqual("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN" in variables ? [chain] : undefined);
  });

  test.each([
    ["the wrong password", { AZURE_CLIENT_CERTIFICATE_PASSWORD: "opens-nothing-at-all" }, locked.pem],
    ["no password", {}, locked.pem],
    ["another's key", {}, registered.certificate + other.key],
    ["no key", {}, registered.certificate],
    ["no certificate", {}, registered.key],
    ["a broken certificate", {}, registered.key + registered.certificate.replace("MII", "MIX")],
    ["something else", {}, "-----BEGIN PRIVATE KEY-----\nQUJDREVGR0hJSktM\n-----END PRIVATE KEY-----"],
    ["nothing", {}, "\n"],
  ])("is refused before anything is sent, with %s", async (_name, variables, pem) => {
    await using cloud = await startEntra(registered.certificate);
    const error = await failureOf(
      issueFrom(cloud, given({ ...CERTIFICATE, ...variables }, { "/run/client.pem": pem })),
    );

    expect(error).toBeInstanceOf(AmbientError);
    expect(error.message).toContain("AZURE_CLIENT_CERTIFICATE_PATH names /run/client.pem, which");
    for (const piece of piecesOf([pem, ...Object.values(variables)])) expect(error.message).not.toContain(piece);
    expect(cloud.asked).toEqual([]);
  });
});

test("the first source that is configured is used, and its failure is the failure", async () => {
  const all = { ...APP, ...WORKLOAD, ...CERTIFICATE, ...SECRET };
  const order = [
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_FEDERATED_TOKEN_FILE",
    "IDENTITY_ENDPOINT",
  ];
  await using cloud = await startCloud((asked) => ({
    status: 400,
    body: { error: "invalid_client", sent: asked.body },
  }));

  const left: Record<string, string> = { ...all };
  for (const variable of order) {
    const { message } = await failureOf(issueFrom(cloud, given(left)));
    if (variable === "IDENTITY_ENDPOINT") expect(message).toContain("169.254.129.4:8081");
    else expect(message).toContain(variable);
    expect(describeEntraSource({ variable: (name) => left[name] })).toContain(variable);
    delete left[variable];
  }

  expect(cloud.asked).toHaveLength(order.length);
  expect(describeEntraSource({ variable: (name) => left[name] })).toBe("managed identity (169.254.169.254)");
});

test("a variable that is empty is none", async () => {
  await using cloud = await startEntra();
  await issueFrom(cloud, given({ AZURE_CLIENT_SECRET: "", AZURE_FEDERATED_TOKEN_FILE: "", IDENTITY_ENDPOINT: "" }));

  expect(places(cloud.asked)).toEqual([MACHINE]);
});

test.each([
  ["an app", APP],
  ["a machine", {}],
])("AZURE_CLIENT_ID selects an identity of %s", async (_name, variables) => {
  await using cloud = await startEntra();
  await issueFrom(cloud, given(variables));
  await issueFrom(cloud, given({ ...variables, AZURE_CLIENT_ID: CLIENT }));

  expect(cloud.asked.map(({ query }) => query["client_id"])).toEqual([undefined, CLIENT]);
});

test("the file of a workload identity is read anew for each token, and trimmed", async () => {
  await using cloud = await startEntra();
  const what = given(WORKLOAD, { "/run/token": "eyJ.rotated.away" });
  const issue = issueEntraToken(loopbackSources(cloud, what), SCOPE);
  const { signal } = new AbortController();

  expect((await failureOf(issue(signal))).message).toContain("invalid_client AADSTS7000215");
  Object.assign(what.files ?? {}, { "/run/token": `${POD_TOKEN}\n` });
  expect((await issue(signal)).value.reveal()).toBe(ENTRA_TOKEN);
});

const SECRETS = [CLIENT_SECRET, POD_TOKEN, IDENTITY_HEADER, ENTRA_TOKEN, registered.pem];
const unsaid = (error: Error): void => {
  expect(error).toBeInstanceOf(AmbientError);
  for (const piece of piecesOf(SECRETS)) expect(error.message).not.toContain(piece);
  expect(error.cause).toBeUndefined();
};

describe("an authority is one of Microsoft's, or on loopback", () => {
  test.each([
    "http://login.microsoftonline.com",
    "https://login.microsoftonline.com.",
    "https://login.microsoftonline.com:8443",
    "https://login.microsoftonline.com.evil.example",
    "https://evil.example/login.microsoftonline.com",
    "https://login.microsoftonline.com@evil.example",
    "https://user:pass@login.microsoftonline.com",
    "https://evil.example#@login.microsoftonline.com",
    "https://evil.example\\@login.microsoftonline.com",
    "https://login.microsoftonline.com/evil",
    "https://login.microsoftonline.com?x=",
    "https://evil-login.microsoftonline.com",
    "login.microsoftonline.com",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://10.0.0.1",
    "https://127.0.0.1",
    "ftp://127.0.0.1",
  ])("not %s", async (authority) => {
    await using cloud = await startEntra();
    for (const variables of [SECRET, CERTIFICATE, WORKLOAD]) {
      const error = await failureOf(issueFrom(cloud, given({ ...variables, AZURE_AUTHORITY_HOST: authority })));
      expect(error.message).toContain("AZURE_AUTHORITY_HOST");
      unsaid(error);
    }
    expect(cloud.asked).toEqual([]);
  });

  test.each(["https://login.microsoftonline.us/", "https://login.partner.microsoftonline.cn"])(
    "%s",
    async (authority) => {
      await using cloud = await startCloud(() => ({ status: 200, body: { access_token: ENTRA_TOKEN, expires_in: 9 } }));
      await issueFrom(cloud, given({ ...SECRET, AZURE_AUTHORITY_HOST: authority }));

      expect(cloud.asked[0]?.host).toBe(new URL(authority).host);
    },
  );

  test("loopback", async () => {
    await using cloud = await startEntra();

    expect((await issueFrom(cloud, given({ ...SECRET, AZURE_AUTHORITY_HOST: cloud.origin }))).value.reveal()).toBe(
      ENTRA_TOKEN,
    );
  });
});

test.each<[string, Record<string, string>, string]>([
  ["a secret without a tenant", { AZURE_CLIENT_ID: CLIENT, AZURE_CLIENT_SECRET: CLIENT_SECRET }, "AZURE_TENANT_ID"],
  ["a secret without a client", { AZURE_TENANT_ID: TENANT, AZURE_CLIENT_SECRET: CLIENT_SECRET }, "AZURE_CLIENT_ID"],
  ["a tenant that leads elsewhere", { ...SECRET, AZURE_TENANT_ID: "../evil" }, "AZURE_TENANT_ID"],
  ["a tenant with a query", { ...SECRET, AZURE_TENANT_ID: "a?b" }, "AZURE_TENANT_ID"],
  ["a tenant of dots", { ...SECRET, AZURE_TENANT_ID: ".." }, "AZURE_TENANT_ID"],
  ["a token instead of its file", { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: POD_TOKEN }, "AZURE_FEDERATED_TOKEN_FILE"],
  [
    "a certificate instead of its file",
    { ...CERTIFICATE, AZURE_CLIENT_CERTIFICATE_PATH: registered.pem },
    "AZURE_CLIENT_CERTIFICATE_PATH",
  ],
  [
    "a file that is not there",
    { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: "/run/other" },
    "/run/other, which cannot be read (ENOENT)",
  ],
  [
    "a file that holds something else",
    { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: "/run/client.pem" },
    "/run/client.pem, which holds no token",
  ],
  ["Azure Arc", { IDENTITY_ENDPOINT: APP_SERVICE, IMDS_ENDPOINT: "http://localhost:40342" }, "Azure Arc"],
  ["Service Fabric", { ...APP, IDENTITY_SERVER_THUMBPRINT: "AB" }, "Service Fabric"],
  ["an endpoint that is none", { ...APP, IDENTITY_ENDPOINT: "file:///etc/passwd" }, "IDENTITY_ENDPOINT"],
])("nothing is asked for %s", async (_name, variables, words) => {
  await using cloud = await startEntra();
  const error = await failureOf(issueFrom(cloud, given(variables)));

  expect(error.message).toContain(words);
  unsaid(error);
  for (const piece of piecesOf(SECRETS))
    expect(describeEntraSource({ variable: (name) => variables[name] })).not.toContain(piece);
  expect(cloud.asked).toEqual([]);
});

const EVERY: [string, Record<string, string>][] = [
  ["secret", SECRET],
  ["certificate", CERTIFICATE],
  ["workload", WORKLOAD],
  ["app", APP],
  ["machine", {}],
];

describe.each(EVERY)("%s", (_name, variables) => {
  test.each([410, 429, 500, 503])("an answer of %s is told by its status, never by its words", async (status) => {
    await using cloud = await startCloud(({ body, headers, query }) => ({
      status,
      body: JSON.stringify({ body, headers, query, ENTRA_TOKEN }),
    }));
    const error = await failureOf(issueFrom(cloud, given(variables)));

    expect(error.message).toMatch(new RegExp(`^http\\S+ answered ${status}\\. `));
    unsaid(error);
    expect(cloud.asked).toHaveLength(1);
  });

  test("a refusal is told by its codes", async () => {
    const error_description = `AADSTS700016: ${CLIENT_SECRET}`;
    await using cloud = await startCloud(() => ({
      status: 400,
      body: { error: "unauthorized_client", error_description },
    }));
    const error = await failureOf(issueFrom(cloud, given(variables)));

    expect(error.message).toContain(" answered 400 unauthorized_client AADSTS700016. ");
    unsaid(error);
  });

  test("a redirect is not followed", async () => {
    await using cloud = await startCloud(() => ({ status: 302, headers: { location: "/elsewhere" }, body: "" }));

    expect((await failureOf(issueFrom(cloud, given(variables)))).message).toContain("answered 302");
    expect(cloud.asked).toHaveLength(1);
  });

  test("a server that stays silent is left with the signal's own reason", async () => {
    await using cloud = await startCloud(() => "frozen");
    const leaving = new AbortController();
    const failure = failureOf(issueFrom(cloud, given(variables), leaving.signal));
    await cloud.frozen;
    leaving.abort(new Error("the process ends"));

    expect((await failure).message).toBe("the process ends");
  });

  test.each([{}, { expires_in: 0 }, { expires_in: "soon" }, { expires_in: null }, { expires_in: 60, access_token: 7 }])(
    "an answer without a usable end or token is none: %o",
    async (members) => {
      await using cloud = await startCloud(() => ({ status: 200, body: { access_token: ENTRA_TOKEN, ...members } }));

      unsaid(await failureOf(issueFrom(cloud, given(variables))));
    },
  );

  test("a lifetime may be a string", async () => {
    await using cloud = await startCloud(() => ({
      status: 200,
      body: { access_token: ENTRA_TOKEN, expires_in: "60" },
    }));

    expect((await issueFrom(cloud, given(variables))).expiresAtMs).toBe(NOW_MS + 60_000);
  });
});

test.each([
  [String(NOW_S + 60), (NOW_S + 60) * 1000],
  [NOW_S + 60, (NOW_S + 60) * 1000],
  ["2026-11-19T12:01:00Z", NOW_MS - 400 + 60_000],
  [String(NOW_S), null],
  ["2026-11-19T11:59:59Z", null],
  ["11/19/2026 12:01:00", null],
  [null, null],
])("a managed identity's token ends at %s", async (expires_on, expiresAtMs) => {
  await using cloud = await startCloud(() => ({
    status: 200,
    body: { access_token: ENTRA_TOKEN, expires_in: "9000", expires_on },
  }));
  const issue = issueFrom(cloud, given({}));

  if (expiresAtMs === null) unsaid(await failureOf(issue));
  else expect((await issue).expiresAtMs).toBe(expiresAtMs);
});
