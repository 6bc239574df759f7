import { expect, test } from "vitest";
import { type CloudRequest, startAwsCloud } from "../../../tests/support/clouds/aws-cloud.ts";
import {
  ROLE,
  STS,
  OWN,
  HANDED,
  ENVIRONMENT,
  issue,
  shown,
  HANDED_KEYS,
  ownKeys,
  failure,
  profile,
} from "../../../tests/support/clouds/aws-stage.ts";
import { answerSts, isSignedWith } from "../../../tests/support/clouds/strict-aws.ts";

test("a profile's keys are used instead of the environment's, and the credentials file stands over the config file", async () => {
  expect(shown(await issue(profile("default", ENVIRONMENT)))).toMatchObject({
    id: OWN.id,
    secret: OWN.secret,
    token: null,
  });
  expect(shown(await issue(profile("with-token")))).toEqual({ ...OWN, expiresAtMs: null });
});

test("the variables for the files of profiles are followed", async () => {
  const variables = { AWS_PROFILE: "x", AWS_SHARED_CREDENTIALS_FILE: "/a", AWS_CONFIG_FILE: "/b" };
  const files = { "/a": `[x]\naws_secret_access_key=${OWN.secret}`, "/b": `[profile x]\naws_access_key_id=${OWN.id}` };

  expect(shown(await issue({ variables, files }))).toMatchObject({ id: OWN.id, secret: OWN.secret });
  expect(await failure(issue({ variables, files: { "/b": files["/b"] } }))).toBe(
    "AWS_SHARED_CREDENTIALS_FILE names /a, which cannot be read (ENOENT). Check the path and who may read it.",
  );
});

test("a profile's role is assumed with the keys of its source, signed, in the profile's region", async () => {
  const form = { Action: "AssumeRole", RoleArn: ROLE, RoleSessionName: "me", ExternalId: "abc=1" };
  await using cloud = await startAwsCloud((request) => answerSts(request, { form, handed: HANDED }));

  const issued = await issue({ ...profile("assumes", { AWS_REGION: "us-east-1" }), instead: { [STS]: cloud.origin } });

  expect(shown(issued)).toEqual(HANDED_KEYS);
  expect(
    await isSignedWith(ownKeys, cloud.requests[0] as CloudRequest, { region: "eu-central-1", service: "sts" }),
  ).toBe(true);
});

test("a profile may assume its role with its own keys", async () => {
  const form = { Action: "AssumeRole", RoleArn: ROLE, RoleSessionName: "tollgate" };
  await using cloud = await startAwsCloud((request) => answerSts(request, { form, handed: HANDED }));

  const issued = await issue({ ...profile("both", { AWS_REGION: "eu-central-1" }), instead: { [STS]: cloud.origin } });

  expect(shown(issued)).toEqual(HANDED_KEYS);
});

test.each([
  ["nowhere", "The AWS profile nowhere is in neither"],
  ["unprefixed", "is in neither"],
  ["half", "lacks a secret access key"],
  ["empty", "lacks an access key id"],
  ["process", "uses credential_process, which is not supported"],
  ["sso", "uses sso_session, which is not supported"],
  ["mfa", "uses mfa_serial, which is not supported"],
  ["rootless", "has a role_arn and no source_profile"],
  ["self", "leads back to itself"],
  ["chain", "The AWS profile self leads back to itself"],
])("the profile %s is refused", async (name, words) => {
  expect(await failure(issue(profile(name, { ...ENVIRONMENT, AWS_REGION: "us-east-1" })))).toContain(words);
});
