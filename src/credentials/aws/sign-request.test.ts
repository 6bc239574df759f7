import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecret } from "../../core/secret/secret.ts";
import { signAsAws } from "../../../tests/support/clouds/sign-as-aws.ts";
import { type RequestToSign, scopeOf, signRequest } from "./sign-request.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const encoded = text.map(encodeURIComponent);
const segment = fc.oneof(
  encoded,
  fc.constantFrom(
    "",
    ".",
    "..",
    "%3A",
    "%2F",
    "%2f",
    "%25",
    "%20",
    "a:b",
    "arn:aws:bedrock:us-east-1:1:x%2Fy",
    "(a)*!'",
  ),
);
const query = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom("a", "a-b", "A", "alt"),
      encoded.filter((name) => name !== "" && name !== "__proto__"),
    ),
    encoded,
  ),
  { maxLength: 4 },
);
const path = fc.tuple(fc.array(segment, { maxLength: 5 }), query).map(([segments, pairs]) => {
  const search = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  return `/${segments.join("/")}${search === "" ? "" : `?${search}`}`;
});
const headerValue = fc
  .array(fc.oneof(fc.constantFrom(" ", "   ", "\t", " \t "), text), { maxLength: 4 })
  .map((parts) => parts.join(""));
const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "content-type",
      "accept",
      "user-agent",
      "x-amzn-trace-id",
      "x-amz-target",
      "content-length",
      "x-forwarded-for",
    ),
    fc.stringMatching(/^x-amzn?-[a-z]{1,8}$/).filter((name) => name !== "x-amz-date"),
  ),
  headerValue,
  { maxKeys: 5 },
);
const secret = fc.string({ minLength: 1, maxLength: 60 }).map(createSecret);
const requests: fc.Arbitrary<RequestToSign> = fc.record({
  keys: fc.record({
    accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,24}$/),
    secretAccessKey: secret,
    sessionToken: fc.option(fc.stringMatching(/^[A-Za-z0-9/+=]{1,80}$/).map(createSecret)),
  }),
  region: fc.constantFrom("us-east-1", "eu-central-2", "us-gov-west-1"),
  service: fc.constantFrom("bedrock", "bedrock-mantle", "aws-external-anthropic", "sts"),
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
  host: fc.constantFrom("bedrock-runtime.us-east-1.amazonaws.com", "127.0.0.1:8443", "sts.eu-central-2.amazonaws.com"),
  path,
  headers,
  body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  nowMs: fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }).map(Number),
});

const KEYS = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: createSecret("a secret"), sessionToken: null };
const REQUEST: RequestToSign = {
  keys: KEYS,
  region: "us-east-1",
  service: "bedrock",
  method: "POST",
  host: "bedrock-runtime.us-east-1.amazonaws.com",
  path: "/model/anthropic.claude%3A0/invoke",
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  nowMs: Date.UTC(2026, 10, 19, 12),
};

test("a request gets the same signature as from AWS's own signer", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      expect(signRequest(request)).toEqual(await signAsAws(request));
    }),
    { numRuns: 1_000 },
  );
});

test("one secret signs for many days, regions and services, each with the key of its own", async () => {
  for (let turn = 0; turn < 100; turn++) {
    const request = {
      ...REQUEST,
      region: `us-east-${turn % 7}`,
      service: `bedrock${turn % 3}`,
      nowMs: REQUEST.nowMs + (turn % 11) * 86_400_000,
    };

    expect(signRequest(request)).toEqual(await signAsAws(request));
  }
});

test("what a proxy may change is not signed", () => {
  const changed = {
    ...REQUEST.headers,
    "user-agent": "x",
    "x-forwarded-for": "1.2.3.4",
    "x-amzn-trace-id": "Root=1",
    accept: "*/*",
  };

  expect(signRequest({ ...REQUEST, headers: changed })).toEqual(signRequest(REQUEST));
});

test.each(["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"])(
  "a request that brings its own %s is not signed",
  (name) => {
    expect(() => signRequest({ ...REQUEST, headers: { [name]: "x" } })).toThrow(name);
  },
);

test.each([
  ["bedrock-runtime.us-east-1.amazonaws.com", "bedrock", "us-east-1"],
  ["bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "bedrock", "us-gov-west-1"],
  ["bedrock-runtime.cn-north-1.amazonaws.com.cn", "bedrock", "cn-north-1"],
  ["vpce-0a1b2c-3d4e.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com", "bedrock", "ap-southeast-2"],
  ["vpce-0a1b2c-3d4e-us-east-1a.bedrock-runtime.us-east-1.vpce.amazonaws.com", "bedrock", "us-east-1"],
  ["bedrock-mantle.eu-central-1.api.aws", "bedrock-mantle", "eu-central-1"],
  ["aws-external-anthropic.us-west-2.api.aws", "aws-external-anthropic", "us-west-2"],
])("%s says what to sign for: %s in %s", (host, service, region) => {
  expect(scopeOf(host)).toEqual({ service, region });
});

test.each([
  "",
  "api.anthropic.com",
  "amazonaws.com",
  "bedrock-runtime.amazonaws.com",
  "bedrock.us-east-1.amazonaws.com",
  "sts.us-east-1.amazonaws.com",
  "bedrock-runtime.us-east-1.amazonaws.com.",
  "bedrock-runtime.us-east-1.amazonaws.com\n",
  "bedrock-runtime.us-east-1.amazonaws.com:443",
  "bedrock-runtime.us-east-1.amazonaws.com.evil.example",
  "bedrock-runtime.us-east-1.amazonaws.com.cn.evil.example",
  "bedrock-runtime.x.amazonaws.com.evil.example",
  "bedrock-runtime.us-east-1.evil.amazonaws.com",
  "bedrock-runtime.us-east-1.amazonawsXcom",
  "Bedrock-Runtime.us-east-1.amazonaws.com",
  "bedrock-runtime.US-EAST-1.amazonaws.com",
  "evil-bedrock-runtime.us-east-1.amazonaws.com",
  "evil.bedrock-runtime.us-east-1.amazonaws.com",
  "evil.example/bedrock-runtime.us-east-1.amazonaws.com",
  "user@bedrock-runtime.us-east-1.amazonaws.com",
  "bedrock-runtime..amazonaws.com",
  "bedrock-runtime.us-east-1a.amazonaws.com",
  "bedrock-runtime.ｕs-east-1.amazonaws.com",
  "bedrock-runtime.us-east-1.s3.amazonaws.com",
  "bedrock-runtime.us-east-1.vpce.amazonaws.com",
  "vpce-0a.evil.bedrock-runtime.us-east-1.vpce.amazonaws.com",
  "vpce-0a.vpce-svc-0b.us-east-1.vpce.amazonaws.com",
  "vpce-0a.bedrock-runtime.us-east-1.vpce.amazonaws.com.cn",
  "bedrock-runtime.us-east-1.api.aws",
  "bedrock-mantle.us-east-1.api.aws.evil.example",
  "bedrock-mantle.us-east-1.amazonaws.com",
  "bedrock-mantle.us-east-1.on.aws",
])("a signature never goes to %j", (host) => {
  expect(scopeOf(host)).toBeNull();
});
