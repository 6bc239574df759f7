import { expect, test } from "vitest";
import type { SignableCall } from "../../core/catalogue/call-credential.ts";
import { systemClock } from "../../core/clock.ts";
import { AmbientError } from "./ambient.ts";
import { createAmbientCredentials } from "./ambient-credentials.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "a-secret-of-aws-for-tests" };
const ROLE = "aws:arn:aws:iam::123456789012:role/bedrock";
const CALL: SignableCall = {
  method: "POST",
  host: "h",
  path: "/v1/x",
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
};

type Given = { variables?: Record<string, string>; allowed?: string[] | null };

function ambient({ variables = KEYS, allowed = null }: Given = {}) {
  const asked: string[] = [];
  const credentials = createAmbientCredentials({
    sources: {
      variable: (name) => variables[name],
      readFile: () => Promise.reject(new Error("ENOENT")),
      ask: ({ url }) => {
        asked.push(url);
        return Promise.reject(new AmbientError("nothing answers."));
      },
      nowMs: () => Date.now(),
    },
    allowed,
    clock: systemClock,
    random: () => 0,
    onChange: () => undefined,
  });
  return { ...credentials, asked };
}

const refusal = (given: ReturnType<typeof ambient>, credentialRef: string, baseUrl: string): string | null =>
  given.problem({ credentialRef, baseUrl });

test.each([
  ["aws", "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1"],
  ["aws", "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1"],
  [ROLE, "https://vpce-0a1b-x.bedrock-runtime.eu-central-1.vpce.amazonaws.com/openai/v1"],
  ["google", "https://aiplatform.googleapis.com/v1beta1/publishers/google"],
  ["google", "https://europe-west4-aiplatform.googleapis.com/v1"],
  ["entra", "https://mine.openai.azure.com/openai/v1"],
  ["entra", "https://mine.services.ai.azure.com/anthropic/v1"],
])("%s goes to %s", (reference, url) => {
  expect(refusal(ambient(), reference, url)).toBeNull();
  expect(ambient().signer({ credentialRef: reference, baseUrl: url })).not.toBeNull();
});

/** What somebody who may add providers could try, to have an identity sent to a machine of their own. */
test.each([
  ["aws", "https://evil.example/v1"],
  ["aws", "http://bedrock-runtime.eu-central-1.amazonaws.com/v1"],
  ["aws", "https://bedrock-runtime.eu-central-1.amazonaws.com:8443/v1"],
  ["aws", "https://bedrock-runtime.eu-central-1.amazonaws.com.evil.example/v1"],
  ["aws", "https://bedrock-runtime.eu-central-1.amazonaws.com./v1"],
  ["aws", "https://evil.example/bedrock-runtime.eu-central-1.amazonaws.com"],
  ["aws", "https://bedrock-runtime.eu-central-1.amazonaws.com@evil.example/v1"],
  ["aws", "https://abc123.execute-api.eu-central-1.amazonaws.com/v1"],
  ["aws", "https://bucket.s3.eu-central-1.amazonaws.com/v1"],
  ["aws", "https://ec2-1-2-3-4.compute-1.amazonaws.com/v1"],
  ["aws", "http://169.254.169.254/latest"],
  ["aws", "https://bedrock-runtime.eu-central-1.аmazonaws.com/v1"],
  [ROLE, "https://sts.eu-central-1.amazonaws.com/"],
  ["google", "https://storage.googleapis.com/bucket"],
  ["google", "https://evil-aiplatform.googleapis.com.evil.example/v1"],
  ["google", "https://x.y-aiplatform.googleapis.com/v1"],
  ["google", "http://metadata.google.internal/v1"],
  ["google", "https://generativelanguage.googleapis.com/v1beta"],
  ["entra", "https://login.microsoftonline.com/v1"],
  ["entra", "https://evil.azurewebsites.net/openai/v1"],
  ["entra", "https://a.b.openai.azure.com/openai/v1"],
  ["entra", "https://openai.azure.com/openai/v1"],
  ["entra", "https://bedrock-runtime.eu-central-1.amazonaws.com/v1"],
])("%s is not sent to %s", (reference, url) => {
  const given = ambient();
  expect(refusal(given, reference, url)).toMatch(/is sent only to .* credential\.allowed_references/);
  expect(() => given.signer({ credentialRef: reference, baseUrl: url })).toThrow("is sent only to");
  given.warm({ credentialRef: reference, baseUrl: url });
  expect(given.asked).toEqual([]);
});

test("where the settings say which reference goes where, it goes there and nowhere else", () => {
  const variables = { ...KEYS, AWS_REGION: "eu-central-1" };
  const given = ambient({ variables, allowed: ["aws=http://127.0.0.1:9000"] });

  expect(refusal(given, "aws", "http://127.0.0.1:9000/v1")).toBeNull();
  expect(refusal(given, "aws", "http://127.0.0.1:9001/v1")).toContain("may not be sent");
  expect(refusal(given, "aws", "https://bedrock-runtime.eu-central-1.amazonaws.com/v1")).toContain("may not be sent");
  expect(refusal(given, ROLE, "http://127.0.0.1:9000/v1")).toContain("may not be sent");
  const nowhere = ambient({ allowed: ["aws=http://127.0.0.1:9000"] });
  expect(refusal(nowhere, "aws", "http://127.0.0.1:9000/v1")).toContain("Set the variable AWS_REGION");
});

test.each(["env:AWS_SECRET_ACCESS_KEY", "stored", "none", "aws:", "aws:x", "awsx", "google:x", "AWS"])(
  "%s names no identity",
  (credentialRef) => {
    expect(
      ambient().signer({ credentialRef, baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com" }),
    ).toBeNull();
  },
);

test("a call is signed for the service and region of its host, and its secret is in no header", async () => {
  const signer = ambient().signer({
    credentialRef: "aws",
    baseUrl: "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1",
  });
  const headers = await signer?.sign(CALL);

  expect(headers?.["authorization"]).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock-mantle\/aws4_request/,
  );
  expect(JSON.stringify(headers)).not.toContain(KEYS.AWS_SECRET_ACCESS_KEY);
});

test("why an identity cannot be had is known once it was asked for, by each provider that needs it", async () => {
  const given = ambient({ variables: { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_CLIENT_SECRET: "s" } });
  const holder = { credentialRef: "entra", baseUrl: "https://mine.openai.azure.com/openai/v1" };

  expect(given.problem(holder)).toBeNull();
  given.warm(holder);
  await expect.poll(() => given.problem(holder)).toMatch(/^entra: .+/);
  expect(given.asked).toHaveLength(1);
  expect(given.problem({ ...holder, baseUrl: "https://other.openai.azure.com/openai/v1" })).toMatch(/^entra: /);
});
