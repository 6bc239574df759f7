import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askForJson } from "../ambient/ask-for-json.ts";
import { issuedToken, msOf } from "../ambient/issued-token.ts";

export const INSTANCE_METADATA = "169.254.169.254";

type Endpoint = { url: URL; version: string; headers: Record<string, string>; unreachable: string };

/** The token of the identity that Azure gave this app, container or machine. AZURE_CLIENT_ID selects one of several. */
export async function askManagedIdentity(
  sources: AmbientSources,
  scope: string,
  signal: AbortSignal,
): Promise<Issued<Secret>> {
  const { url, version, headers, unreachable } = endpointOf(sources);
  const clientId = sources.variable("AZURE_CLIENT_ID");
  url.searchParams.set("api-version", version);
  url.searchParams.set("resource", scope.replace(/\/\.default$/, ""));
  if (clientId) url.searchParams.set("client_id", clientId);
  const { address, body, askedAtMs } = await askForJson(sources, signal, {
    url: url.href,
    method: "GET",
    headers,
    mend: "Check that it has a managed identity. One that is user-assigned needs its client id in AZURE_CLIENT_ID.",
    unreachable,
  });
  const { expires_on: expiresOn, expires_in: expiresIn } = body;
  return issuedToken({
    address,
    token: body["access_token"],
    expiresAtMs: expiresOn === undefined ? askedAtMs + msOf(expiresIn) : momentOf(expiresOn),
    nowMs: sources.nowMs(),
  });
}

/** Seconds since 1970; some hosts write a date. */
const momentOf = (value: unknown): number =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : msOf(value);

function endpointOf({ variable }: AmbientSources): Endpoint {
  const given = variable("IDENTITY_ENDPOINT");
  if (!given)
    return {
      url: new URL(`http://${INSTANCE_METADATA}/metadata/identity/oauth2/token`),
      version: "2018-02-01",
      headers: { Metadata: "true" },
      unreachable: "Outside of Azure, set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.",
    };
  const header = variable("IDENTITY_HEADER");
  if (!header || variable("IDENTITY_SERVER_THUMBPRINT"))
    throw new AmbientError(
      "IDENTITY_ENDPOINT is that of Azure Arc or Service Fabric, whose identities are not supported. Use a client secret.",
    );
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw new AmbientError("IDENTITY_ENDPOINT must be an address of http or https.");
  const unreachable = "Check IDENTITY_ENDPOINT, which the platform sets.";
  return { url, version: "2019-08-01", headers: { "X-IDENTITY-HEADER": header }, unreachable };
}
