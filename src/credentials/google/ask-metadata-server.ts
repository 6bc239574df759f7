import type { Secret } from "../../core/secret/secret.ts";
import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askForJson } from "../ambient/ask-for-json.ts";
import { issuedToken, msOf } from "../ambient/issued-token.ts";
import { CLOUD_SCOPE } from "./google-address.ts";

const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
const FLAVOR = "Metadata-Flavor";
/** It is on the same host, and where there is none, nothing ever answers. */
const TIMEOUT_MS = 1_000;
const HOST = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i;

/** The address of the metadata server, for messages too. */
export const metadataHost = ({ variable }: Pick<AmbientSources, "variable">): string =>
  variable("GCE_METADATA_HOST") || "metadata.google.internal";

/** The token of the account that this machine, pod or revision runs as. */
export async function askMetadataServer(sources: AmbientSources, signal: AbortSignal): Promise<Issued<Secret>> {
  const host = metadataHost(sources);
  const url = HOST.test(host) ? URL.parse(`http://${host}${PATH}`) : null;
  if (url === null) throw new AmbientError("GCE_METADATA_HOST must be a host, with a port or without.");
  url.searchParams.set("scopes", CLOUD_SCOPE);
  const { address, headers, body, askedAtMs } = await askForJson(sources, signal, {
    url: url.href,
    method: "GET",
    headers: { [FLAVOR]: "Google" },
    timeoutMs: TIMEOUT_MS,
    mend: "Give this workload a service account.",
    unreachable: "Outside of Google Cloud, set GOOGLE_APPLICATION_CREDENTIALS to the path of a credential file.",
  });
  // Whatever else answers on this address, such as a proxy or a portal, does not say so.
  const flavor = Object.entries(headers).find(([name]) => name.toLowerCase() === FLAVOR.toLowerCase())?.[1];
  if (flavor !== "Google") throw new AmbientError(`${address} is no metadata server of Google: it sends no ${FLAVOR}.`);
  return issuedToken({
    address,
    token: body["access_token"],
    expiresAtMs: askedAtMs + msOf(body["expires_in"]),
    nowMs: sources.nowMs(),
  });
}
