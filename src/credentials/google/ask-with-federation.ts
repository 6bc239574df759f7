import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askForJson } from "../ambient/ask-for-json.ts";
import { isToken, issuedToken, msOf } from "../ambient/issued-token.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { CLOUD_SCOPE, googleAddress } from "./google-address.ts";
import type { CredentialFile } from "./credential-file.ts";
import { readSubjectToken } from "./read-subject-token.ts";

const STS_HOST = "sts.googleapis.com";
const IAM_HOST = "iamcredentials.googleapis.com";
const IMPERSONATION_PATH = /^\/v1\/projects\/[\w-]+\/serviceAccounts\/[\w.@-]+:generateAccessToken$/;
const LIFETIME_S = 3600;
const TYPES = "urn:ietf:params:oauth:token-type";

/** Trades a token of another issuer for one of Google, and that, if the file says so, for one of a service account. */
export async function askWithFederation(
  sources: AmbientSources,
  file: CredentialFile,
  signal: AbortSignal,
): Promise<Issued<Secret>> {
  const { name, members } = file;
  const { audience, subject_token_type: subjectTokenType, token_url: tokenUrl } = members;
  if (typeof audience !== "string" || typeof subjectTokenType !== "string")
    throw new AmbientError(`${name} needs audience and subject_token_type. Write the file again with gcloud.`);
  for (const member of ["workforce_pool_user_project", "client_id"])
    if (members[member] !== undefined)
      throw new AmbientError(
        `${name} has ${member}: workforce federation is for people. Use a workload identity pool.`,
      );
  // Both addresses are judged before any token leaves.
  const exchange = googleAddress(tokenUrl ?? `https://${STS_HOST}/v1/token`, `token_url of ${name}`, [STS_HOST]);
  const impersonation = impersonationOf(file);

  const federated = await askForJson(sources, signal, {
    url: exchange.href,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience,
      scope: CLOUD_SCOPE,
      requested_token_type: `${TYPES}:access_token`,
      subject_token: await readSubjectToken(sources, file, signal),
      subject_token_type: subjectTokenType,
    }).toString(),
    mend: `Check the audience in ${name}, and that the pool's provider trusts the issuer of the subject token.`,
  });
  const token = federated.body["access_token"];
  if (impersonation !== null) return impersonate(sources, { ...impersonation, name, token }, signal);
  return issuedToken({
    address: federated.address,
    token,
    expiresAtMs: federated.askedAtMs + msOf(federated.body["expires_in"]),
    nowMs: sources.nowMs(),
  });
}

type Impersonation = { url: string; lifetimeS: number };

function impersonationOf({ name, members }: CredentialFile): Impersonation | null {
  const address = members["service_account_impersonation_url"];
  if (address === undefined) return null;
  const member = `service_account_impersonation_url of ${name}`;
  const { href, pathname } = googleAddress(address, member, [IAM_HOST]);
  if (!IMPERSONATION_PATH.test(pathname))
    throw new AmbientError(`${member} must end in {account}:generateAccessToken.`);
  const options = members["service_account_impersonation"];
  const lifetimeS = isObject(options) ? (options["token_lifetime_seconds"] ?? LIFETIME_S) : LIFETIME_S;
  if (!Number.isSafeInteger(lifetimeS))
    throw new AmbientError(`token_lifetime_seconds of ${name} must be a whole number.`);
  return { url: href, lifetimeS: Number(lifetimeS) };
}

async function impersonate(
  sources: AmbientSources,
  { url, lifetimeS, name, token }: Impersonation & { name: string; token: unknown },
  signal: AbortSignal,
): Promise<Issued<Secret>> {
  if (!isToken(token)) throw new AmbientError(`The token exchange of ${name} answered without a usable token.`);
  const { address, body } = await askForJson(sources, signal, {
    url,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ scope: [CLOUD_SCOPE], lifetime: `${lifetimeS}s` }),
    mend: "Check that the federated identity has the role Workload Identity User on the service account.",
  });
  const expireTime = body["expireTime"];
  return issuedToken({
    address,
    token: body["accessToken"],
    expiresAtMs: typeof expireTime === "string" ? Date.parse(expireTime) : NaN,
    nowMs: sources.nowMs(),
  });
}
