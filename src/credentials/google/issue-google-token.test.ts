import { describe, expect, test } from "vitest";
import { type Asked, type LoopbackCloud, startCloud, type Told } from "../../../tests/support/clouds/loopback-cloud.ts";
import { failureOf, type Given, loopbackSources, piecesOf } from "../../../tests/support/clouds/loopback-sources.ts";
import {
  answerAsGoogle,
  FEDERATED_TOKEN,
  FEDERATION_FILE,
  formOf,
  GOOGLE_TOKEN,
  IMPERSONATION,
  KEY_FILE,
  SUBJECT_TOKEN,
} from "../../../tests/support/clouds/strict-google.ts";
import { AmbientError } from "../ambient/ambient.ts";
import { describeGoogleSource, issueGoogleToken } from "./issue-google-token.ts";

const NOW_MS = Date.parse("2026-11-19T12:00:00.400Z");
const PATH = "/etc/google/key.json";
const SECRETS = [KEY_FILE.private_key, SUBJECT_TOKEN, GOOGLE_TOKEN, FEDERATED_TOKEN];

/** A process with this credential file; null: with none, beside the metadata server. */
const given = (file: object | string | null, more: Given["files"] = {}): Given => ({
  variables: file === null ? { GCE_METADATA_HOST: "metadata.test" } : { GOOGLE_APPLICATION_CREDENTIALS: PATH },
  files: { ...more, ...(file === null ? {} : { [PATH]: typeof file === "string" ? file : JSON.stringify(file) }) },
  nowMs: () => NOW_MS,
});
const issueFrom = (cloud: LoopbackCloud, what: Given, signal = new AbortController().signal) =>
  issueGoogleToken(loopbackSources(cloud, what))(signal);
const startGoogle = (): Promise<LoopbackCloud> => startCloud(answerAsGoogle(() => NOW_MS));
const federation = (source: object, more: object = {}): object => ({
  ...FEDERATION_FILE,
  credential_source: source,
  ...more,
});
const places = (asked: readonly Asked[]): string[] => asked.map(({ method, host, path }) => `${method} ${host}${path}`);

test("a service account signs an assertion with its key and trades it for a token", async () => {
  await using cloud = await startGoogle();
  const issued = await issueFrom(cloud, given(KEY_FILE));

  expect(issued.value.reveal()).toBe(GOOGLE_TOKEN);
  expect(String(issued.value)).toBe("[secret]");
  expect(issued.expiresAtMs).toBe(NOW_MS + 3_599_000);
  expect(places(cloud.asked)).toEqual(["POST oauth2.googleapis.com/token"]);
});

test("the assertion names the key that signed it and lives for an hour", async () => {
  await using cloud = await startGoogle();
  await issueFrom(cloud, given(KEY_FILE));
  const [asked] = cloud.asked;
  const [header, claims] = String(formOf(asked as Asked)?.["assertion"])
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as object);

  expect(header).toEqual({ alg: "RS256", typ: "JWT", kid: KEY_FILE.private_key_id });
  expect(claims).toMatchObject({ iat: Math.floor(NOW_MS / 1000), exp: Math.floor(NOW_MS / 1000) + 3600 });
});

const SOURCES: [string, object, Given["files"]][] = [
  ["a file of text with a newline at its end", { file: "/run/token" }, { "/run/token": `${SUBJECT_TOKEN}\n` }],
  [
    "a file of JSON",
    { file: "/run/token", format: { type: "json", subject_token_field_name: "jwt" } },
    { "/run/token": JSON.stringify({ jwt: SUBJECT_TOKEN }) },
  ],
  [
    "an address that answers with JSON",
    {
      url: "http://idp.example/token?audience=a",
      headers: { "x-proof": "of-the-workload" },
      format: { type: "json", subject_token_field_name: "nested" },
    },
    {},
  ],
];

describe.each(SOURCES)("federation with %s", (_name, source, files) => {
  test("trades the subject token for one of Google", async () => {
    await using cloud = await startGoogle();
    const issued = await issueFrom(cloud, given(federation(source), files));

    expect(issued.value.reveal()).toBe(FEDERATED_TOKEN);
    expect(issued.expiresAtMs).toBe(NOW_MS + 3_600_000);
    expect(places(cloud.asked).at(-1)).toBe("POST sts.googleapis.com/v1/token");
  });

  test("trades that for one of a service account, which lives as long as the file says", async () => {
    await using cloud = await startGoogle();
    const file = federation(source, {
      service_account_impersonation_url: IMPERSONATION,
      service_account_impersonation: { token_lifetime_seconds: 2800 },
    });
    const issued = await issueFrom(cloud, given(file, files));

    expect(issued.value.reveal()).toBe(GOOGLE_TOKEN);
    expect(issued.expiresAtMs).toBe(NOW_MS + 2_800_000);
  });
});

test("the address of a subject token gets the headers of the file, and its text is trimmed", async () => {
  await using cloud = await startCloud((asked) =>
    asked.host === "idp.example" ? { status: 200, body: `${SUBJECT_TOKEN}\r\n` } : answerAsGoogle(() => NOW_MS)(asked),
  );
  const source = { url: "https://idp.example/token?audience=a", headers: { "X-Proof": "of-the-workload" } };
  await issueFrom(cloud, given(federation(source)));

  expect(cloud.asked[0]).toMatchObject({
    method: "GET",
    query: { audience: "a" },
    headers: { "x-proof": "of-the-workload" },
  });
});

test("files are read anew for each token", async () => {
  await using cloud = await startGoogle();
  const what = given(federation({ file: "/run/token" }), { "/run/token": "eyJ.rotated.away" });
  const issue = issueGoogleToken(loopbackSources(cloud, what));
  const { signal } = new AbortController();

  expect((await failureOf(issue(signal))).message).toContain("invalid_grant");
  Object.assign(what.files ?? {}, { "/run/token": SUBJECT_TOKEN });
  expect((await issue(signal)).value.reveal()).toBe(FEDERATED_TOKEN);
});

test("without a file the metadata server is asked, wherever it is", async () => {
  await using cloud = await startGoogle();
  const { value, expiresAtMs } = await issueFrom(cloud, given(null));
  await issueFrom(cloud, { ...given(null), variables: {} });
  await issueFrom(cloud, { ...given(null), variables: { GCE_METADATA_HOST: new URL(cloud.origin).host } });

  expect([value.reveal(), expiresAtMs]).toEqual([GOOGLE_TOKEN, NOW_MS + 1_799_000]);
  expect(cloud.asked.map(({ host }) => host)).toEqual(["metadata.test", "metadata.google.internal", "loopback"]);
});

test("what answers without the header of a metadata server is none", async () => {
  await using cloud = await startCloud(() => ({ status: 200, body: { access_token: GOOGLE_TOKEN, expires_in: 9 } }));
  const error = await failureOf(issueFrom(cloud, given(null)));

  expect(error).toBeInstanceOf(AmbientError);
  expect(error.message).toContain("Metadata-Flavor");
});

test("a metadata server has one second to answer", { timeout: 30_000 }, async () => {
  await using cloud = await startCloud(() => "frozen");

  expect((await failureOf(issueFrom(cloud, given(null)))).message).toMatch(
    /^http:\/\/metadata\.test\/\S+ did not answer in time\. .*GOOGLE_APPLICATION_CREDENTIALS/,
  );
});

test("a server that stays silent is left with the signal's own reason", async () => {
  await using cloud = await startCloud(() => "frozen");
  const leaving = new AbortController();
  const failure = failureOf(issueFrom(cloud, given(KEY_FILE), leaving.signal));
  await cloud.frozen;
  leaving.abort(new Error("the process ends"));

  expect((await failure).message).toBe("the process ends");
});

test.each([
  ["a key", given(KEY_FILE)],
  ["federation", given(federation({ file: "/run/token" }), { "/run/token": SUBJECT_TOKEN })],
  ["the metadata server", given(null)],
])("a redirect is not followed: %s", async (_name, what) => {
  const headers = { location: "https://elsewhere.example/", "Metadata-Flavor": "Google" };
  await using cloud = await startCloud(() => ({ status: 307, headers, body: "" }));
  const error = await failureOf(issueFrom(cloud, what));

  expect(error).toBeInstanceOf(AmbientError);
  expect(error.message).toContain("answered 307");
  expect(cloud.asked).toHaveLength(1);
});

const HOSTILE = (host: string): string[] => [
  `http://${host}/token`,
  `https://${host}./token`,
  `https://${host}:8443/token`,
  `https://${host}.evil.example/token`,
  `https://evil.example/${host}/token`,
  `https://${host}@evil.example/token`,
  `https://user:pass@${host}/token`,
  `https://evil.example#@${host}/token`,
  `https://evil-${host}/token`,
  `https://evil.${host}/token`,
  `https://evil.example\\@${host}/token`,
  "https://127.0.0.1/token",
  "http://127.0.0.1:8080/token",
  "//evil.example/token",
  "",
];
const refusals = (name: string, host: string, file: (address: string) => object): [string, object | string][] =>
  HOSTILE(host).map((address) => [`${name} ${address}`, file(address)]);

describe("nothing is asked, and nothing of the file is told, for", () => {
  test.each<[string, object | string]>([
    ...refusals("token_uri", "oauth2.googleapis.com", (token_uri) => ({ ...KEY_FILE, token_uri })),
    ...refusals("token_url", "sts.googleapis.com", (token_url) => federation({ file: "/run/token" }, { token_url })),
    ...refusals("impersonation", "iamcredentials.googleapis.com", (service_account_impersonation_url) =>
      federation({ file: "/run/token" }, { service_account_impersonation_url }),
    ),
    [
      "another method of the same host",
      federation(
        { file: "/run/token" },
        { service_account_impersonation_url: IMPERSONATION.replace("generateAccessToken", "signJwt") },
      ),
    ],
    ["an executable", federation({ executable: { command: "/bin/steal" } })],
    ["AWS", federation({ environment_id: "aws1", region_url: "http://169.254.169.254/" })],
    ["a certificate", federation({ certificate: { use_default_certificate_config: true } })],
    ["both a file and an address", federation({ file: "/run/token", url: "http://idp.example/token" })],
    ["no source", federation({})],
    ["an unknown format", federation({ file: "/run/token", format: { type: "yaml" } })],
    ["JSON without a name", federation({ file: "/run/token", format: { type: "json" } })],
    ["a local file as an address", federation({ url: "file:///etc/passwd" })],
    ["a relative file", federation({ file: "run/token" })],
    ["a file that is not there", federation({ file: "/run/other" })],
    ["a file without a token", federation({ file: "/run/empty" })],
    ["workforce", federation({ file: "/run/token" }, { workforce_pool_user_project: "p" })],
    ["no audience", { ...FEDERATION_FILE, audience: 1 }],
    ["a user's credential", { type: "authorized_user", refresh_token: SUBJECT_TOKEN }],
    ["an unknown type", { ...KEY_FILE, type: SUBJECT_TOKEN }],
    ["a type of every object", { ...KEY_FILE, type: "constructor" }],
    ["another universe", { ...KEY_FILE, universe_domain: "evil.example" }],
    ["a broken key", { ...KEY_FILE, private_key: KEY_FILE.private_key.replace("END", "BEND") }],
    ["no key", { ...KEY_FILE, private_key: undefined }],
    ["a list", [KEY_FILE]],
    ["what is cut short", JSON.stringify(KEY_FILE).slice(0, -5)],
    ["nothing", " \n"],
  ])("%s", async (_name, file) => {
    await using cloud = await startGoogle();
    const error = await failureOf(issueFrom(cloud, given(file, { "/run/token": SUBJECT_TOKEN, "/run/empty": "\n" })));

    expect(error).toBeInstanceOf(AmbientError);
    expect(error.message).toContain("GOOGLE_APPLICATION_CREDENTIALS");
    for (const piece of piecesOf(SECRETS)) expect(error.message).not.toContain(piece);
    expect(cloud.asked).toEqual([]);
  });
});

test.each([
  JSON.stringify(KEY_FILE),
  KEY_FILE.private_key,
  `/${KEY_FILE.private_key}`,
  Buffer.from(KEY_FILE.private_key).toString("base64"),
])("a variable that holds the credential itself is not repeated: %#", async (value) => {
  await using cloud = await startGoogle();
  const variables = { GOOGLE_APPLICATION_CREDENTIALS: value };
  const { message } = await failureOf(issueFrom(cloud, { ...given(null), variables }));

  expect(message).toContain("absolute path");
  for (const piece of piecesOf([value])) {
    expect(message).not.toContain(piece);
    expect(describeGoogleSource({ variable: () => value })).not.toContain(piece);
  }
});

test("the metadata server's host is a host and nothing more", async () => {
  await using cloud = await startGoogle();
  for (const host of ["a/b", "a?b", "a@b", "http://a", "a b", "a#b", "a:b:c"])
    expect((await failureOf(issueFrom(cloud, { variables: { GCE_METADATA_HOST: host } }))).message).toContain(
      "GCE_METADATA_HOST",
    );
  expect(cloud.asked).toEqual([]);
});

const ANSWERS: [string, Record<string, unknown>, number | null][] = [
  ["seconds as a number", { expires_in: 60 }, NOW_MS + 60_000],
  ["seconds as a string", { expires_in: "60" }, NOW_MS + 60_000],
  ["no lifetime", {}, null],
  ["none left", { expires_in: 0 }, null],
  ["less than none", { expires_in: -5 }, null],
  ["no number", { expires_in: "an hour" }, null],
  ["null", { expires_in: null }, null],
  ["more than there is", { expires_in: 1e300 }, null],
  ["a list as its token", { expires_in: 60, access_token: [GOOGLE_TOKEN] }, null],
  ["an empty token", { expires_in: 60, access_token: "" }, null],
  ["a token that would end a header", { expires_in: 60, access_token: `${GOOGLE_TOKEN}\r\nx: y` }, null],
];

test.each(ANSWERS)("the end of a token comes from the answer: %s", async (_name, members, expiresAtMs) => {
  const body = { access_token: GOOGLE_TOKEN, token_type: "Bearer", ...members };
  await using cloud = await startCloud(() => ({ status: 200, headers: { "Metadata-Flavor": "Google" }, body }));

  for (const what of [
    given(KEY_FILE),
    given(null),
    given(federation({ file: "/run/token" }), { "/run/token": SUBJECT_TOKEN }),
  ]) {
    const issue = issueFrom(cloud, what);
    if (expiresAtMs !== null) expect((await issue).expiresAtMs).toBe(expiresAtMs);
    else {
      const error = await failureOf(issue);
      expect(error).toBeInstanceOf(AmbientError);
      expect(error.message).not.toContain(GOOGLE_TOKEN);
    }
  }
});

test.each(["2026-11-19T11:59:59Z", "soon", "", null, 1_800_000_000])(
  "a service account's token that ended at %s is none",
  async (expireTime) => {
    await using cloud = await startCloud((asked) =>
      asked.host.startsWith("iam")
        ? { status: 200, body: { accessToken: GOOGLE_TOKEN, expireTime } }
        : answerAsGoogle()(asked),
    );
    const file = federation({ file: "/run/token" }, { service_account_impersonation_url: IMPERSONATION });
    const error = await failureOf(issueFrom(cloud, given(file, { "/run/token": SUBJECT_TOKEN })));

    expect(error).toBeInstanceOf(AmbientError);
    expect(error.message).not.toContain(GOOGLE_TOKEN);
  },
);

const REFUSED: [string, (asked: Asked) => Told, RegExp][] = [
  [
    "OAuth's code",
    ({ body }) => ({ status: 400, body: { error: "invalid_grant", error_description: body } }),
    /answered 400 invalid_grant\. /,
  ],
  [
    "Google's code",
    ({ body }) => ({ status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: body } } }),
    /answered 403 PERMISSION_DENIED\. /,
  ],
  ["a code that is none", ({ body }) => ({ status: 400, body: { error: body } }), /answered 400\. /],
  ["no JSON", ({ body }) => ({ status: 503, body }), /answered 503\. /],
  ["a good status without JSON", ({ body }) => ({ status: 200, body }), /something other than a JSON object\. /],
];

test.each(REFUSED)("a refusal is told by status and code, never by its words: %s", async (_name, answer, words) => {
  await using cloud = await startCloud(answer);
  for (const what of [given(KEY_FILE), given(federation({ file: "/run/token" }), { "/run/token": SUBJECT_TOKEN })]) {
    const error = await failureOf(issueFrom(cloud, what));
    const sent = cloud.asked
      .map(({ body }) => formOf({ ...(cloud.asked[0] as Asked), body }))
      .flatMap((form) => [form?.["assertion"] ?? "", form?.["subject_token"] ?? ""]);

    expect(error).toBeInstanceOf(AmbientError);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/^https:\/\/(?:oauth2|sts)\.googleapis\.com\//);
    for (const piece of piecesOf([...SECRETS, ...sent])) expect(error.message).not.toContain(piece);
    expect(error.cause).toBeUndefined();
  }
});

test("what cannot be reached is told by its address and the code of the failure", async () => {
  const cloud = await startGoogle();
  await cloud[Symbol.asyncDispose]();

  expect((await failureOf(issueFrom(cloud, given(KEY_FILE)))).message).toMatch(
    /^https:\/\/oauth2\.googleapis\.com\/token did not answer \(ECONNREFUSED\)\. /,
  );
});

test("the source is described for people", () => {
  const describe = (variables: Record<string, string>): string =>
    describeGoogleSource({ variable: (name) => variables[name] });

  expect(describe({ GOOGLE_APPLICATION_CREDENTIALS: PATH })).toBe(`GOOGLE_APPLICATION_CREDENTIALS (${PATH})`);
  expect(describe({})).toBe("metadata server (metadata.google.internal)");
  expect(describe({ GCE_METADATA_HOST: "127.0.0.1:80" })).toBe("metadata server (127.0.0.1:80)");
});
