import type { AwsKeys } from "../../../src/credentials/aws/aws-keys.ts";
import type { CloudAnswer, CloudRequest } from "./aws-cloud.ts";
import { signAsAws } from "./sign-as-aws.ts";

/** What a service issues. */
export type Handed = { AccessKeyId: string; SecretAccessKey: string; Token: string; Expiration: string };

type Sts = { form: Record<string, string>; handed: Handed };

/** STS, as documented: each parameter exactly once, and nothing besides. */
export function answerSts({ method, url, headers, body }: CloudRequest, { form, handed }: Sts): CloudAnswer {
  const given = body.split("&").toSorted().join("&");
  const isAsExpected =
    method === "POST" &&
    url === "/" &&
    headers["content-type"] === "application/x-www-form-urlencoded" &&
    given === new URLSearchParams({ Version: "2011-06-15", ...form }).toString().split("&").toSorted().join("&");
  if (!isAsExpected) return refuseAsSts(400, "InvalidParameterValue", `${method} ${url} ${body}`);
  return { body: stsAnswer(form["Action"] ?? "", handed) };
}

export const refuseAsSts = (status: number, code: string, message: string): CloudAnswer => ({
  status,
  body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
});

export const stsAnswer = (
  action: string,
  { AccessKeyId, SecretAccessKey, Token, Expiration }: Handed,
): string => `<?xml version="1.0" encoding="UTF-8"?>
<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${action}Result>
    <SubjectFromWebIdentityToken>system:serviceaccount:a:b</SubjectFromWebIdentityToken>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn><AssumedRoleId>AROA:s</AssumedRoleId></AssumedRoleUser>
    <Credentials>
      <SessionToken>${Token}</SessionToken>
      <SecretAccessKey>${SecretAccessKey}</SecretAccessKey>
      <Expiration>${Expiration}</Expiration>
      <AccessKeyId>${AccessKeyId}</AccessKeyId>
    </Credentials>
  </${action}Result>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</${action}Response>
`;

type Instance = { token: string; role: string; handed: Handed };

/** The metadata service of an instance that allows its second version only. */
export function answerInstance(
  { method, url, headers, body }: CloudRequest,
  { token, role, handed }: Instance,
): CloudAnswer {
  const roles = "/latest/meta-data/iam/security-credentials/";
  if (url === "/latest/api/token") {
    const ttl = headers["x-aws-ec2-metadata-token-ttl-seconds"] ?? "";
    if (method !== "PUT" || body !== "") return { status: 405, body: "" };
    if (headers["x-forwarded-for"] !== undefined) return { status: 403, body: "" };
    return /^\d+$/.test(ttl) && Number(ttl) >= 1 && Number(ttl) <= 21_600 ? { body: token } : { status: 400, body: "" };
  }
  if (method !== "GET" || headers["x-aws-ec2-metadata-token"] !== token) return { status: 401, body: "" };
  if (url === roles) return { body: `${role}\n` };
  if (url !== roles + role) return { status: 404, body: "" };
  const LastUpdated = "2026-11-19T11:00:00Z";
  return { body: JSON.stringify({ Code: "Success", LastUpdated, Type: "AWS-HMAC", ...handed }, null, 2) };
}

/** Whether a request is signed with these keys, as AWS would check it: from what arrived. */
export async function isSignedWith(
  keys: AwsKeys,
  { method, url, headers, body }: CloudRequest,
  scope: { region: string; service: string },
) {
  const OWN = ["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(headers["x-amz-date"] ?? "") ?? [];
  const expected = await signAsAws({
    ...scope,
    keys,
    method,
    path: url,
    host: headers["host"] ?? "",
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name) && name !== "host")),
    body: Buffer.from(body),
    nowMs: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
  });
  return OWN.every((name) => headers[name] === expected[name]);
}
