import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askForJson } from "../ambient/ask-for-json.ts";
import { issuedToken, msOf } from "../ambient/issued-token.ts";
import { rsaKeyIn, signJwt } from "../ambient/sign-jwt.ts";
import { CLOUD_SCOPE, googleAddress } from "./google-address.ts";
import type { CredentialFile } from "./credential-file.ts";

const TOKEN_HOSTS = ["oauth2.googleapis.com", "www.googleapis.com", "sts.googleapis.com"];
/** Google takes no assertion that lives longer. */
const LIFETIME_S = 3600;

/** Signs an assertion with the key of a service account and trades it for a token. */
export async function askAsServiceAccount(
  sources: AmbientSources,
  { name, members }: CredentialFile,
  signal: AbortSignal,
): Promise<Issued<Secret>> {
  const { client_email: iss, private_key: pem, private_key_id: kid, token_uri: tokenUri } = members;
  const key = typeof pem === "string" ? rsaKeyIn(pem) : null;
  if (typeof iss !== "string" || typeof kid !== "string" || key === null)
    throw new AmbientError(
      `${name} needs client_email, private_key_id and private_key, an RSA key. Download the service account's key again.`,
    );
  const url = googleAddress(tokenUri, `token_uri of ${name}`, TOKEN_HOSTS).href;
  const iat = Math.floor(sources.nowMs() / 1000);
  const assertion = signJwt({
    header: { alg: "RS256", typ: "JWT", kid },
    claims: { iss, scope: CLOUD_SCOPE, aud: url, iat, exp: iat + LIFETIME_S },
    key,
  });
  const { address, body, askedAtMs } = await askForJson(sources, signal, {
    url,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString(),
    mend: `Check that the key in ${name} is still active, and this machine's clock.`,
  });
  return issuedToken({
    address,
    token: body["access_token"],
    expiresAtMs: askedAtMs + msOf(body["expires_in"]),
    nowMs: sources.nowMs(),
  });
}
