import { expect, test } from "vitest";
import {
  type AwsCloud,
  type CloudAnswer,
  type CloudRequest,
  startAwsCloud,
} from "../../../tests/support/clouds/aws-cloud.ts";
import {
  NOW_MS,
  ROLE,
  OTHER_ROLE,
  TOKEN_PATH,
  STS,
  OWN,
  WEB_TOKEN,
  CONTAINER_TOKEN,
  METADATA_TOKEN,
  HANDED,
  ENVIRONMENT,
  WEB_IDENTITY,
  sourcesOf,
  signal,
  issue,
  shown,
  HANDED_KEYS,
  failure,
  PROFILES,
  profile,
  type Given,
} from "../../../tests/support/clouds/aws-stage.ts";
import {
  answerInstance,
  answerSts,
  type Handed,
  isSignedWith,
  refuseAsSts,
  stsAnswer,
} from "../../../tests/support/clouds/strict-aws.ts";
import type { AmbientSources } from "../ambient/ambient.ts";
import { describeAwsSource, issueAwsKeys } from "./issue-aws-keys.ts";
import { readAwsKeys } from "./read-aws-keys.ts";

const sts = (form: Record<string, string>): Promise<AwsCloud> =>
  startAwsCloud((request) => answerSts(request, { form, handed: HANDED }));
const webIdentityForm = {
  Action: "AssumeRoleWithWebIdentity",
  RoleArn: ROLE,
  RoleSessionName: "tollgate",
  WebIdentityToken: WEB_TOKEN,
};
const webIdentity = (cloud: AwsCloud, variables: Record<string, string> = {}): Given => ({
  variables: { ...WEB_IDENTITY, AWS_ENDPOINT_URL_STS: cloud.origin, ...variables },
  files: { [TOKEN_PATH]: `${WEB_TOKEN}\n` },
});
const metadata = (cloud: AwsCloud): Given => ({ variables: { AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.origin } });
const instance = (handed: object = HANDED): Promise<AwsCloud> =>
  startAwsCloud((request) =>
    answerInstance(request, { token: METADATA_TOKEN, role: "node-role", handed: handed as Handed }),
  );

test("keys of the environment do not end", async () => {
  expect(shown(await issue({ variables: { ...ENVIRONMENT, AWS_SESSION_TOKEN: OWN.token } }))).toEqual({
    ...OWN,
    expiresAtMs: null,
  });
  expect(shown(await issue({ variables: ENVIRONMENT })).token).toBeNull();
});

test.each([
  [{ AWS_ACCESS_KEY_ID: OWN.id }, "lacks a secret access key"],
  [{ AWS_SECRET_ACCESS_KEY: OWN.secret }, "lacks an access key id"],
  [{ ...ENVIRONMENT, AWS_SECRET_ACCESS_KEY: `${OWN.secret}\n` }, "something else instead of a secret access key"],
  [{ ...ENVIRONMENT, AWS_SESSION_TOKEN: `${OWN.token}\r\nx: y` }, "something else instead of a session token"],
])("half of the environment's keys is an error, even if another source has keys (%#)", async (variables, words) => {
  expect(await failure(issue({ variables: { ...WEB_IDENTITY, ...variables } }))).toContain(words);
});

test("a token file is trimmed, read anew each time, and exchanged at the region's STS without a signature", async () => {
  await using cloud = await sts(webIdentityForm);
  const files = { [TOKEN_PATH]: `${WEB_TOKEN}\n` };
  const issueKeys = issueAwsKeys(sourcesOf({ variables: WEB_IDENTITY, files, instead: { [STS]: cloud.origin } }));

  expect(shown(await issueKeys(signal()))).toEqual(HANDED_KEYS);
  expect(cloud.requests[0]?.headers).toMatchObject({ host: "sts.eu-central-1.amazonaws.com" });
  expect(cloud.requests[0]?.headers).not.toHaveProperty("authorization");

  files[TOKEN_PATH] = "another";
  await failure(issueKeys(signal()));
  expect(cloud.requests[1]?.body).toContain("WebIdentityToken=another");
});

test.each([
  [{ AWS_REGION: "", AWS_DEFAULT_REGION: "us-gov-west-1" }, "https://sts.us-gov-west-1.amazonaws.com"],
  [{ AWS_REGION: "cn-north-1" }, "https://sts.cn-north-1.amazonaws.com.cn"],
])("the region decides which STS is asked (%j)", async (variables, origin) => {
  await using cloud = await sts({ ...webIdentityForm, RoleSessionName: "pod" });
  const given = { ...WEB_IDENTITY, AWS_ROLE_SESSION_NAME: "pod", ...variables };

  const issued = await issue({
    variables: given,
    files: { [TOKEN_PATH]: WEB_TOKEN },
    instead: { [origin]: cloud.origin },
  });

  expect(shown(issued)).toEqual(HANDED_KEYS);
});

test.each([
  [{ AWS_ROLE_ARN: "" }, "AWS_ROLE_ARN is not"],
  [{ AWS_REGION: "" }, "Set AWS_REGION"],
  [{ AWS_REGION: "evil.example/" }, "not a region's name"],
  [{ AWS_ENDPOINT_URL_STS: "http://sts.example.com" }, "AWS_ENDPOINT_URL_STS must begin with https://"],
  [{ AWS_ENDPOINT_URL_STS: "https://me@sts.example.com" }, "without a user name"],
  [{ AWS_WEB_IDENTITY_TOKEN_FILE: "/gone" }, "AWS_WEB_IDENTITY_TOKEN_FILE names /gone, which cannot be read (ENOENT)"],
  [{ AWS_WEB_IDENTITY_TOKEN_FILE: WEB_TOKEN }, "AWS_WEB_IDENTITY_TOKEN_FILE must be the absolute path of a file."],
  [{ AWS_WEB_IDENTITY_TOKEN_FILE: "/empty" }, "AWS_WEB_IDENTITY_TOKEN_FILE names /empty, which is empty."],
])("a web identity that is not whole is refused before anything is asked (%j)", async (variables, words) => {
  const given = { variables: { ...WEB_IDENTITY, ...variables }, files: { [TOKEN_PATH]: WEB_TOKEN, "/empty": "\n" } };
  const asked: string[] = [];
  const sources = {
    ...sourcesOf(given),
    ask: (question: { url: string }) => Promise.reject(new Error(String(asked.push(question.url)))),
  };

  expect(await failure(issueAwsKeys(sources)(signal()))).toContain(words);
  expect(asked).toEqual([]);
});

test("STS's refusal is reported by status and code, not by its words", async () => {
  await using cloud = await startAwsCloud(({ body }) => refuseAsSts(403, "AccessDenied", `not with ${body}`));

  expect(await failure(issue(webIdentity(cloud)))).toBe(
    `AssumeRoleWithWebIdentity of ${ROLE} at ${cloud.origin} refused (status 403, AccessDenied). Check that the role exists and that its trust policy allows this identity.`,
  );
});

const GOOD = stsAnswer("AssumeRoleWithWebIdentity", HANDED);
test.each([
  [
    "is in another form",
    GOOD.replace("<Credentials>", "<Credentials><X>y</X>"),
    "gave an answer that is not in the form of STS",
  ],
  ["has a blank in a secret", GOOD.replace("hA7d", "hA 7d"), "something else instead of a secret access key"],
  ["has an empty secret", GOOD.replace(HANDED.SecretAccessKey, ""), "lacks a secret access key"],
  ["has a time that is none", GOOD.replace("2026-11-19T13", "2026-11-99T13"), "no usable time of expiry"],
  ["has a time without a zone", GOOD.replace("13:00:00Z", "13:00:00"), "something else instead of a time of expiry"],
  ["is over already", GOOD.replace("2026-11-19T13", "2026-11-19T12"), "has expired keys"],
])("an answer of STS that %s is refused", async (_, body, words) => {
  await using cloud = await startAwsCloud(() => ({ body }));

  expect(await failure(issue(webIdentity(cloud)))).toContain(words);
  expect(cloud.requests).toHaveLength(1);
});

test("another role is assumed on top, with the session token of the first, and ends when its own keys end", async () => {
  const first = { ...HANDED, Expiration: "2026-11-19T18:00:00Z" };
  const second = { ...HANDED, AccessKeyId: "ASIASECOND", Expiration: "2026-11-19T12:15:00Z" };
  const form = { Action: "AssumeRole", RoleArn: OTHER_ROLE, RoleSessionName: "tollgate" };
  await using cloud = await startAwsCloud((request) =>
    request.headers["authorization"] === undefined
      ? answerSts(request, { form: webIdentityForm, handed: first })
      : answerSts(request, { form, handed: second }),
  );

  const issued = await issue(webIdentity(cloud), { arn: OTHER_ROLE });

  expect(shown(issued)).toEqual({ ...HANDED_KEYS, id: "ASIASECOND", expiresAtMs: NOW_MS + 900_000 });
  const keys = readAwsKeys("first", {
    accessKeyId: first.AccessKeyId,
    secretAccessKey: first.SecretAccessKey,
    sessionToken: first.Token,
  });
  expect(await isSignedWith(keys, cloud.requests[1] as CloudRequest, { region: "eu-central-1", service: "sts" })).toBe(
    true,
  );
});

const CONTAINER_URI = "/v2/credentials/5f1c0e7a?a=b";
const agent = ({ method, url, headers }: CloudRequest, token: string | undefined): CloudAnswer =>
  method === "GET" && url === CONTAINER_URI && headers["authorization"] === token
    ? { body: JSON.stringify({ RoleArn: ROLE, ...HANDED }) }
    : { status: 401, body: JSON.stringify({ code: "InvalidToken", message: headers["authorization"] }) };

test.each([
  [{ AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN }, CONTAINER_TOKEN],
  [
    { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/eks", AWS_CONTAINER_AUTHORIZATION_TOKEN: "other" },
    `${CONTAINER_TOKEN}Eks`,
  ],
  [{}, undefined],
])("a container's agent gives keys for the token it expects (%#)", async (variables, token) => {
  await using cloud = await startAwsCloud((request) => agent(request, token));
  const files = { "/eks": `${CONTAINER_TOKEN}Eks\n` };

  const issued = await issue({
    variables: { ...variables, AWS_CONTAINER_CREDENTIALS_FULL_URI: cloud.origin + CONTAINER_URI },
    files,
  });

  expect(shown(issued)).toEqual(HANDED_KEYS);
});

test("on ECS the relative address is asked at the agent's, before the full one", async () => {
  await using cloud = await startAwsCloud((request) => agent(request, undefined));
  const variables = {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: CONTAINER_URI,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "https://x.example",
  };

  expect(shown(await issue({ variables, instead: { "http://169.254.170.2": cloud.origin } }))).toEqual(HANDED_KEYS);
});

test.each([
  "http://169.254.170.2",
  "http://169.254.170.23",
  "http://[fd00:ec2::23]",
  "http://localhost:81",
  "http://[::1]:81",
  "https://agent.example",
])("a container's keys are asked of %s", async (origin) => {
  await using cloud = await startAwsCloud((request) => agent(request, undefined));
  const variables = { AWS_CONTAINER_CREDENTIALS_FULL_URI: origin + CONTAINER_URI };

  expect(shown(await issue({ variables, instead: { [origin]: cloud.origin } }))).toEqual(HANDED_KEYS);
});

test.each([
  "http://agent.example/x",
  "http://169.254.170.3/x",
  "http://169.254.169.254/x",
  "http://127.0.0.1.evil.example/x",
  "http://localhost.evil.example/x",
  "http://169.254.170.2@evil.example/x",
  "http://[fd00:ec2::24]/x",
  "file:///etc/passwd",
  "x",
])("a container's token is not sent to %s", async (uri) => {
  const variables = { AWS_CONTAINER_CREDENTIALS_FULL_URI: uri, AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN };
  const asked: string[] = [];
  const sources = {
    ...sourcesOf({ variables }),
    ask: (question: { url: string }) => Promise.reject(new Error(String(asked.push(question.url)))),
  };

  expect(await failure(issueAwsKeys(sources)(signal()))).toContain("AWS_CONTAINER_CREDENTIALS_FULL_URI must");
  expect(asked).toEqual([]);
});

test("an agent's refusal is reported by its code, without the address's path or what the agent says", async () => {
  await using cloud = await startAwsCloud((request) => agent(request, "another"));
  const variables = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: cloud.origin + CONTAINER_URI,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
  };

  const words = await failure(issue({ variables }));

  expect(words).toContain(`AWS_CONTAINER_CREDENTIALS_FULL_URI (${cloud.origin}) refused (status 401, InvalidToken).`);
  expect(words).not.toContain("5f1c0e7a");
});

test("an instance gives keys for a token that was asked for first", async () => {
  await using cloud = await instance();

  expect(shown(await issue(metadata(cloud)))).toEqual(HANDED_KEYS);
  expect(cloud.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/",
    "GET /latest/meta-data/iam/security-credentials/node-role",
  ]);
  expect(cloud.requests[0]?.headers).toMatchObject({ "x-aws-ec2-metadata-token-ttl-seconds": "21600" });
});

test.each([
  [{ ...HANDED, Code: "AssumeRoleUnauthorizedAccess" }, "(AssumeRoleUnauthorizedAccess)"],
  [{ ...HANDED, Expiration: undefined }, "lacks a time of expiry"],
  [{ ...HANDED, Expiration: 1_795_093_200 }, "something else instead of a time of expiry"],
  [{ ...HANDED, Expiration: "2026-11-19T11:59:59Z" }, "has expired keys"],
  [{ ...HANDED, Token: undefined }, "lacks a session token"],
  [{ ...HANDED, SecretAccessKey: { a: HANDED.SecretAccessKey } }, "something else instead of a secret access key"],
])("an instance's answer without usable keys is refused (%#)", async (handed, words) => {
  await using cloud = await instance(handed);

  expect(await failure(issue(metadata(cloud)))).toContain(words);
});

test.each<[string, (request: CloudRequest) => CloudAnswer]>([
  [
    "has no second version",
    ({ method }) => (method === "PUT" ? { status: 404, body: "" } : { body: JSON.stringify(HANDED) }),
  ],
  ["gives a token of two lines", () => ({ body: `${METADATA_TOKEN}\r\n${METADATA_TOKEN}` })],
  [
    "names a role that leads elsewhere",
    ({ method }) => ({ body: method === "PUT" ? METADATA_TOKEN : "../../user-data" }),
  ],
  ["answers with a text", ({ url }) => ({ body: url.endsWith("role") ? HANDED.SecretAccessKey : "a-role" })],
  [
    "redirects",
    () => ({ status: 302, headers: { location: "/latest/meta-data/iam/security-credentials/" }, body: "a-role" }),
  ],
  ["answers with 2 MB", () => ({ body: HANDED.SecretAccessKey.repeat(50_000) })],
])("an instance's metadata that %s gives no keys", async (_, answer) => {
  await using cloud = await startAwsCloud(answer);

  expect(await failure(issue(metadata(cloud)))).toContain(`metadata of the instance at ${cloud.origin}`);
  expect(cloud.requests.filter(({ url }) => url.endsWith("credentials/")).length).toBeLessThan(2);
});

test("a redirect of STS is not followed: the token stays where it was sent", async () => {
  await using elsewhere = await startAwsCloud(() => ({ body: GOOD }));
  await using cloud = await startAwsCloud(() => ({ status: 307, headers: { location: elsewhere.origin }, body: "" }));

  expect(await failure(issue(webIdentity(cloud)))).toContain("(status 307). Redirects are not followed.");
  expect(elsewhere.requests).toEqual([]);
});

test("metadata that does not answer fails after a second", async () => {
  await using cloud = await startAwsCloud(() => null);

  expect(await failure(issue(metadata(cloud)))).toContain(`at ${cloud.origin} gave no answer (timeout).`);
});

test("a service that does not answer ends with the signal, and with the signal's reason", async () => {
  await using cloud = await startAwsCloud(() => null);
  const stop = new AbortController();
  const issued = issueAwsKeys(sourcesOf(webIdentity(cloud)))(stop.signal);
  const reason = new Error("shutting down");

  await Promise.race([cloud.frozen, issued]);
  stop.abort(reason);

  await expect(issued).rejects.toBe(reason);
});

test("a service that is not there is named, with the code of the system", async () => {
  const cloud = await startAwsCloud(() => null);
  await cloud[Symbol.asyncDispose]();

  expect(await failure(issue(webIdentity(cloud)))).toContain(`at ${cloud.origin} gave no answer (ECONNREFUSED).`);
});

test("a client that repeats a header in its error does not bring it into ours", async () => {
  const given = { variables: { ...ENVIRONMENT, AWS_SESSION_TOKEN: OWN.token, AWS_REGION: "us-east-1" } };
  const ask: AmbientSources["ask"] = ({ headers }) =>
    Promise.reject(new TypeError(`invalid header: ${JSON.stringify(headers)}`));

  const words = await failure(issueAwsKeys({ ...sourcesOf(given), ask }, { arn: ROLE })(signal()));

  expect(words).toContain("gave no answer (TypeError)");
});

const CONTAINER = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/x" };
test.each<[string, Given]>([
  ["environment", { variables: { HOME: "/home/me", ...ENVIRONMENT, ...WEB_IDENTITY, ...CONTAINER }, files: PROFILES }],
  ["profile", profile("nowhere", { ...ENVIRONMENT, ...WEB_IDENTITY })],
  ["profile", { variables: { HOME: "/home/me", ...WEB_IDENTITY, ...CONTAINER }, files: PROFILES }],
  ["profile", { variables: { AWS_SHARED_CREDENTIALS_FILE: "/gone", ...WEB_IDENTITY } }],
  ["web identity", { variables: { HOME: "/home/me", ...WEB_IDENTITY, ...CONTAINER } }],
  ["web identity", { variables: { ...WEB_IDENTITY, AWS_CONFIG_FILE: "/c" }, files: { "/c": "[default]\nregion=x" } }],
  ["container", { variables: { ...CONTAINER, AWS_ROLE_ARN: ROLE } }],
  ["container", { variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://localhost", AWS_ACCESS_KEY_ID: "" } }],
  ["instance", {}],
  ["instance", { variables: { AWS_EC2_METADATA_DISABLED: "false" } }],
  ["none", { variables: { AWS_EC2_METADATA_DISABLED: "TRUE" } }],
])("the first source that is configured is used: %s (%#)", async (source, given) => {
  expect(await describeAwsSource(sourcesOf(given))).toBe(source);
});

test("without any source, the error says what to set", async () => {
  expect(await failure(issue({ variables: { AWS_EC2_METADATA_DISABLED: "true" } }))).toContain("Set AWS_ACCESS_KEY_ID");
});
