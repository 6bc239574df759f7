import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { readTokenFile } from "./ask-source.ts";
import { assumeRoleWithWebIdentity } from "./ask-sts.ts";
import type { AwsKeys } from "./aws-keys.ts";

const FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";

/** Keys of a role for the token that a platform, such as Kubernetes, gave this process. */
export async function webIdentityKeys(sources: AmbientSources, signal: AbortSignal): Promise<Issued<AwsKeys>> {
  const arn = sources.variable("AWS_ROLE_ARN") || null;
  if (arn === null) throw new AmbientError(`${FILE} is set and AWS_ROLE_ARN is not. Set the role to assume.`);
  const token = await readTokenFile(sources, FILE, sources.variable(FILE) ?? "");
  return assumeRoleWithWebIdentity({ sources, signal, token, role: { arn } });
}
