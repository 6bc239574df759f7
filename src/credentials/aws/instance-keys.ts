import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askSource, headerSafe, type SourceQuestion } from "./ask-source.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { readKeyDocument } from "./read-key-document.ts";

const ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
const USUAL_ENDPOINT = "http://169.254.169.254";
const ROLES = "/latest/meta-data/iam/security-credentials/";
const TIMEOUT_MS = 1_000;
const TOKEN_TTL_SECONDS = 21_600;

/** Keys of the instance's role, from its metadata (IMDSv2). The first version, which gives keys without a token, is not used. */
export async function instanceKeys(sources: AmbientSources, signal: AbortSignal): Promise<Issued<AwsKeys>> {
  const endpoint = URL.parse(sources.variable(ENDPOINT) || USUAL_ENDPOINT);
  if (endpoint === null || !["http:", "https:"].includes(endpoint.protocol) || endpoint.username !== "") {
    throw new AmbientError(`${ENDPOINT} must be an address that begins with http:// or https://.`);
  }
  const address = `metadata of the instance at ${endpoint.origin}`;
  const place = `The ${address}`;
  const ask = (path: string, more: Pick<SourceQuestion, "method" | "headers">): Promise<string> =>
    askSource(sources, { ...more, url: new URL(path, endpoint), place, mend: MEND, timeoutMs: TIMEOUT_MS, signal });

  const ttl = { "x-aws-ec2-metadata-token-ttl-seconds": String(TOKEN_TTL_SECONDS) };
  const token = headerSafe(
    `The token from the ${address}`,
    (await ask("/latest/api/token", { method: "PUT", headers: ttl })).trim(),
  );
  const headers = { "x-aws-ec2-metadata-token": token };
  const role = (await ask(ROLES, { method: "GET", headers })).trim();
  if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw new AmbientError(`${place} does not name one role. ${MEND}`);
  return readKeyDocument(place, await ask(ROLES + role, { method: "GET", headers }), sources.nowMs());
}

const MEND =
  "Give the instance a role, or configure AWS credentials in another way. In a container, the hop limit of the metadata must be 2.";
