import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { askSource, headerSafe, readSourceUrl, readTokenFile } from "./ask-source.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { readKeyDocument } from "./read-key-document.ts";

const RELATIVE = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const TOKEN = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
const TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
const RELATIVE_TO = "http://169.254.170.2";
/** Of the agents of ECS and EKS, which are on the machine of the container. */
const AGENTS = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"];
const TIMEOUT_MS = 5_000;

/** Keys from the agent beside the container, of ECS or of EKS Pod Identity. */
export async function containerKeys(sources: AmbientSources, signal: AbortSignal): Promise<Issued<AwsKeys>> {
  const relative = sources.variable(RELATIVE) || null;
  if (relative !== null && !relative.startsWith("/")) throw new AmbientError(`${RELATIVE} must begin with /.`);
  const given = relative === null ? (sources.variable(FULL) ?? "") : RELATIVE_TO + relative;
  const from = relative === null ? FULL : RELATIVE;
  const url = readSourceUrl(from, given, AGENTS);
  // The path is as good as a credential on ECS.
  const place = `The address in ${from} (${url.origin})`;
  const authorization = await authorizationOf(sources);
  const text = await askSource(sources, {
    url,
    method: "GET",
    headers: { accept: "application/json", ...(authorization !== null && { authorization }) },
    place,
    mend: "Check that the task or the pod has a role, and that its agent runs.",
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  return readKeyDocument(place, text, sources.nowMs());
}

async function authorizationOf(sources: AmbientSources): Promise<string | null> {
  const file = sources.variable(TOKEN_FILE) || null;
  if (file !== null) return readTokenFile(sources, TOKEN_FILE, file);
  const token = sources.variable(TOKEN) || null;
  return token === null ? null : headerSafe(TOKEN, token.trim());
}
