import { inspect } from "node:util";
import { expect } from "vitest";
import { AmbientError, type AmbientSources, type Issued } from "../../../src/credentials/ambient/ambient.ts";
import type { AwsKeys } from "../../../src/credentials/aws/aws-keys.ts";
import { issueAwsKeys } from "../../../src/credentials/aws/issue-aws-keys.ts";
import { readAwsKeys } from "../../../src/credentials/aws/read-aws-keys.ts";
import { askAwsCloud } from "./aws-cloud.ts";
import type { Handed } from "./strict-aws.ts";

export const NOW_MS = Date.UTC(2026, 10, 19, 12);
export const ROLE = "arn:aws:iam::123456789012:role/models";
export const OTHER_ROLE = "arn:aws:iam::210987654321:role/bedrock";
export const TOKEN_PATH = "/var/run/secrets/token";
export const STS = "https://sts.eu-central-1.amazonaws.com";

/** None of it may appear in an error. */
export const OWN = {
  id: "AKIAOWN0OWN0OWN0OWN0",
  secret: "qO7/wNk3yZr8t+0fTh3Pq0c3ss/Jm5vXy2Lb9dGe4",
  token: "FwoGZXIvYXdzEJr//////////wEaDP8kQ2sX7mVt=",
};
export const WEB_TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.pT9xKqVw3Zr7Lm2Nf8";
export const CONTAINER_TOKEN = "cA7hPq2Zt9Xw4Vn6Lk8Jm3Rb5Sd";
export const METADATA_TOKEN = "AQAEALxY8Vq3Tz7Wm2Kp9Rn5Jd4Hs6Gf1Bc==";
export const HANDED: Handed = {
  AccessKeyId: "ASIAHANDEDHANDEDHAND",
  SecretAccessKey: "hA7dQz/3Xv9Tn5+Lp2Wk8Rj4Mf6Gs1Bd0Cy7Ue9Ih",
  Token: "IQoJb3JpZ2luX2VjEKz//////////Hq8Zt3Vn7Xw5Lm/+==",
  Expiration: "2026-11-19T13:00:00Z",
};
const SECRETS = [
  OWN.secret,
  OWN.token,
  WEB_TOKEN,
  CONTAINER_TOKEN,
  METADATA_TOKEN,
  HANDED.SecretAccessKey,
  HANDED.Token,
];

export const ENVIRONMENT = { AWS_ACCESS_KEY_ID: OWN.id, AWS_SECRET_ACCESS_KEY: OWN.secret };
export const WEB_IDENTITY = { AWS_WEB_IDENTITY_TOKEN_FILE: TOKEN_PATH, AWS_ROLE_ARN: ROLE, AWS_REGION: "eu-central-1" };

export type Given = {
  variables?: Record<string, string>;
  files?: Record<string, string>;
  instead?: Record<string, string>;
  nowMs?: () => number;
};

export const sourcesOf = ({
  variables = {},
  files = {},
  instead = {},
  nowMs = () => NOW_MS,
}: Given): AmbientSources => ({
  variable: (name) => variables[name],
  readFile: async (path) => {
    const text = files[path];
    if (text === undefined) throw new Error("ENOENT");
    return text;
  },
  ask: askAwsCloud(instead),
  nowMs,
});

export const signal = (): AbortSignal => new AbortController().signal;
export const issue = (given: Given, role?: { arn: string }): Promise<Issued<AwsKeys>> =>
  issueAwsKeys(sourcesOf(given), role)(signal());

export const shown = ({ value, expiresAtMs }: Issued<AwsKeys>) => ({
  id: value.accessKeyId,
  secret: value.secretAccessKey.reveal(),
  token: value.sessionToken?.reveal() ?? null,
  expiresAtMs,
});
export const HANDED_KEYS = {
  id: HANDED.AccessKeyId,
  secret: HANDED.SecretAccessKey,
  token: HANDED.Token,
  expiresAtMs: NOW_MS + 3_600_000,
};
export const ownKeys = readAwsKeys("own", { accessKeyId: OWN.id, secretAccessKey: OWN.secret });

/** The words of an error, of which no piece is a secret's. */
export async function failure(issued: Promise<unknown>): Promise<string> {
  const error: unknown = await issued.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AmbientError);
  const words = inspect(error, { depth: 9, showHidden: true });
  for (const secret of SECRETS) {
    for (let at = 0; at + 10 <= secret.length; at++) expect(words).not.toContain(secret.slice(at, at + 10));
  }
  return (error as AmbientError).message;
}

export const PROFILES = {
  "/home/me/.aws/credentials": `
; keys
[default]
aws_access_key_id = ${OWN.id}
aws_secret_access_key=${OWN.secret} ; mine
[with-token]
aws_access_key_id = ${OWN.id}
aws_secret_access_key = ${OWN.secret}
aws_session_token = ${OWN.token}
[half]
aws_access_key_id = ${OWN.id}
`,
  "/home/me/.aws/config": `
[default]\r
region = us-west-2\r
aws_secret_access_key = notThisOneButTheOther
s3 =
  aws_session_token = nested
[profile "assumes"]
role_arn = ${ROLE}
source_profile = default
external_id = abc=1
role_session_name = me
region = eu-central-1
[profile chain]
role_arn = ${OTHER_ROLE}
source_profile = self
[profile self]
role_arn = ${ROLE}
source_profile = self
[profile both]
aws_access_key_id = ${OWN.id}
aws_secret_access_key = ${OWN.secret}
role_arn = ${ROLE}
source_profile = both
[profile process]
credential_process = /bin/sh -c "echo ${OWN.secret}"
[profile sso]
sso_session = corp
sso_account_id = 123456789012
[profile mfa]
role_arn = ${ROLE}
source_profile = default
mfa_serial = arn:aws:iam::123456789012:mfa/me
[profile rootless]
role_arn = ${ROLE}
[profile empty]
region = us-east-1
[unprefixed]
aws_access_key_id = ${OWN.id}
`,
};
export const profile = (name: string, more: Record<string, string> = {}): Given => ({
  variables: { HOME: "/home/me", AWS_PROFILE: name, ...more },
  files: PROFILES,
});
