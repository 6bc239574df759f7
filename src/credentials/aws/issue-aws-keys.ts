import { AmbientError, type AmbientSources, type Issue, type Issued } from "../ambient/ambient.ts";
import { assumeRole } from "./ask-sts.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { containerKeys } from "./container-keys.ts";
import { instanceKeys } from "./instance-keys.ts";
import { hasIdentity, profileKeys } from "./profile-keys.ts";
import { readAwsKeys } from "./read-aws-keys.ts";
import { readProfiles } from "./read-profiles.ts";
import { webIdentityKeys } from "./web-identity-keys.ts";

export type AwsSource = "environment" | "profile" | "web identity" | "container" | "instance" | "none";

const ISSUERS: Record<AwsSource, (sources: AmbientSources, signal: AbortSignal) => Promise<Issued<AwsKeys>>> = {
  environment: environmentKeys,
  profile: profileKeys,
  "web identity": webIdentityKeys,
  container: containerKeys,
  instance: instanceKeys,
  none: () =>
    Promise.reject(
      new AmbientError(
        "No AWS credentials are configured, and AWS_EC2_METADATA_DISABLED is set. Set AWS_ACCESS_KEY_ID, AWS_PROFILE or AWS_WEB_IDENTITY_TOKEN_FILE.",
      ),
    ),
};

/**
 * Asks the first source that is configured, in the order of AWS's own programs. If it fails, no other is asked: keys of another
 * identity may be allowed other things, and are billed elsewhere.
 */
export function issueAwsKeys(sources: AmbientSources, role?: { arn: string }): Issue<AwsKeys> {
  return async (signal) => {
    const issued = await ISSUERS[await describeAwsSource(sources)](sources, signal);
    return role === undefined ? issued : assumeRole({ sources, signal, keys: issued.value, role });
  };
}

/** Which source is used. Nothing is asked but the files of profiles. */
export async function describeAwsSource(sources: AmbientSources): Promise<AwsSource> {
  const isSet = (name: string): boolean => (sources.variable(name) ?? "") !== "";
  if (isSet("AWS_PROFILE")) return "profile";
  if (isSet("AWS_ACCESS_KEY_ID") || isSet("AWS_SECRET_ACCESS_KEY")) return "environment";
  if (await hasDefaultProfile(sources)) return "profile";
  if (isSet("AWS_WEB_IDENTITY_TOKEN_FILE")) return "web identity";
  if (isSet("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || isSet("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
    return "container";
  return sources.variable("AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true" ? "none" : "instance";
}

/** A file that is named and cannot be read is a source that fails. */
const hasDefaultProfile = (sources: AmbientSources): Promise<boolean> =>
  readProfiles(sources).then(
    (profiles) => hasIdentity(profiles.get("default")),
    () => true,
  );

async function environmentKeys({ variable }: AmbientSources): Promise<Issued<AwsKeys>> {
  const keys = readAwsKeys("The environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN)", {
    accessKeyId: variable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: variable("AWS_SECRET_ACCESS_KEY"),
    sessionToken: variable("AWS_SESSION_TOKEN") || undefined,
  });
  return { value: keys, expiresAtMs: null };
}
