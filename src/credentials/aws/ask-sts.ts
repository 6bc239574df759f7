import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askSource, readSourceUrl } from "./ask-source.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { readIssuedKeys } from "./read-aws-keys.ts";
import { readStsAnswer, type StsAction } from "./read-sts-answer.ts";
import { signRequest } from "./sign-request.ts";

export type RoleToAssume = {
  arn: string;
  /** AWS shows it beside what the role did. */
  sessionName?: string | undefined;
  externalId?: string | undefined;
  /** Where the profile that names the role says so. */
  region?: string | undefined;
};

type Call = {
  sources: AmbientSources;
  role: RoleToAssume;
  signal: AbortSignal;
};

const TIMEOUT_MS = 10_000;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const REGION = /^[a-z]{2,8}(?:-[a-z]{1,20}){1,3}-\d{1,2}$/;

/** Keys of a role, for those who have keys already. */
export async function assumeRole({ keys, ...call }: Call & { keys: AwsKeys }): Promise<Issued<AwsKeys>> {
  const { sources, role } = call;
  const region = regionOf(call);
  if (region === null) throw new AmbientError(NO_REGION);
  const url = endpoint(call);
  const body = formOf("AssumeRole", call, role.externalId === undefined ? {} : { ExternalId: role.externalId });
  const target = { method: "POST", host: url.host, path: url.pathname, headers: FORM, body: Buffer.from(body) };
  const signature = signRequest({ ...target, keys, region, service: "sts", nowMs: sources.nowMs() });
  return ask("AssumeRole", call, { url, body, headers: { ...FORM, ...signature } });
}

/** Keys of a role, for those whom another identity provider knows. The call is not signed. */
export function assumeRoleWithWebIdentity({ token, ...call }: Call & { token: string }): Promise<Issued<AwsKeys>> {
  const body = formOf("AssumeRoleWithWebIdentity", call, { WebIdentityToken: token });
  return ask("AssumeRoleWithWebIdentity", call, { url: endpoint(call), body, headers: FORM });
}

function formOf(action: StsAction, { sources, role }: Call, more: Record<string, string>): string {
  const named = role.sessionName ?? (sources.variable("AWS_ROLE_SESSION_NAME") || "tollgate");
  const form = { Action: action, Version: "2011-06-15", RoleArn: role.arn, RoleSessionName: named, ...more };
  return new URLSearchParams(form).toString();
}

async function ask(
  action: StsAction,
  { sources, role, signal }: Call,
  { url, ...rest }: { url: URL; body: string; headers: Record<string, string> },
): Promise<Issued<AwsKeys>> {
  const place = `${action} of ${role.arn} at ${url.origin}`;
  const mend = "Check that the role exists and that its trust policy allows this identity.";
  const text = await askSource(sources, { ...rest, url, method: "POST", place, mend, timeoutMs: TIMEOUT_MS, signal });
  const given = readStsAnswer(action, text);
  if (given === null) throw new AmbientError(`${place} gave an answer that is not in the form of STS.`);
  return readIssuedKeys(place, given, sources.nowMs());
}

const NO_REGION = "AWS roles need a region. Set AWS_REGION.";

const regionOf = ({ sources, role }: Call): string | null =>
  role.region || sources.variable("AWS_REGION") || sources.variable("AWS_DEFAULT_REGION") || null;

function endpoint(call: Call): URL {
  const given = call.sources.variable("AWS_ENDPOINT_URL_STS") || null;
  // Without a query, which the signature would have to cover.
  if (given !== null) {
    const { origin, pathname } = readSourceUrl("AWS_ENDPOINT_URL_STS", given, []);
    return new URL(pathname, origin);
  }
  const region = regionOf(call);
  if (region === null) throw new AmbientError(NO_REGION);
  // The region becomes a part of the host that gets the token.
  if (!REGION.test(region)) throw new AmbientError("The AWS region is not a region's name, such as eu-central-1.");
  return new URL(`https://sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`);
}
