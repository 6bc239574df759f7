import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askForJson } from "../ambient/ask-for-json.ts";
import { issuedToken, msOf } from "../ambient/issued-token.ts";
import type { ClientProof } from "./client-proof.ts";

/** Who asks and where, both out of the environment. */
type Client = { clientId: string; endpoint: string };

const DEFAULT_AUTHORITY = "https://login.microsoftonline.com";
const AUTHORITIES = ["login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"];
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;
const TENANT = /^[a-z\d][a-z\d.-]{0,253}$/i;

/** The client that the variables name. `source` is the variable for whose sake they are needed. */
export function entraClient({ variable }: AmbientSources, source: string): Client {
  const [tenant, clientId] = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID"].map((name) => {
    const value = variable(name);
    if (!value) throw new AmbientError(`${source} is set, and ${name} is not. Set it, or unset ${source}.`);
    return value;
  });
  if (tenant === undefined || clientId === undefined || !TENANT.test(tenant))
    throw new AmbientError("AZURE_TENANT_ID must be the id or the domain of a tenant.");
  return { clientId, endpoint: `${authorityOf(variable("AZURE_AUTHORITY_HOST"))}/${tenant}/oauth2/v2.0/token` };
}

/** A secret or an assertion goes there. On loopback it may be without TLS, since nothing leaves the machine. */
function authorityOf(text: string | undefined): string {
  const url = URL.parse(text || DEFAULT_AUTHORITY);
  const plain = url !== null && url.pathname === "/" && url.username + url.password + url.search + url.hash === "";
  if (plain && url.protocol === "https:" && AUTHORITIES.includes(url.host)) return url.origin;
  if (plain && url.protocol === "http:" && LOOPBACK.test(url.hostname)) return url.origin;
  throw new AmbientError(`AZURE_AUTHORITY_HOST must be https at ${AUTHORITIES.join(" or ")}.`);
}

/** Asks with the client credentials flow. */
export async function askEntra(
  sources: AmbientSources,
  { clientId, endpoint, scope, proof, source }: Client & { scope: string; proof: ClientProof; source: string },
  signal: AbortSignal,
): Promise<Issued<Secret>> {
  const { address, body, askedAtMs } = await askForJson(sources, signal, {
    url: endpoint,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, scope, ...proof }).toString(),
    mend: `Check AZURE_TENANT_ID, AZURE_CLIENT_ID and ${source}, and that what it holds has not expired.`,
  });
  return issuedToken({
    address,
    token: body["access_token"],
    expiresAtMs: askedAtMs + msOf(body["expires_in"]),
    nowMs: sources.nowMs(),
  });
}
