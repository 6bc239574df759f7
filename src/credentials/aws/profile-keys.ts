import { AmbientError, type AmbientSources, type Issued } from "../ambient/ambient.ts";
import { assumeRole } from "./ask-sts.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { readAwsKeys } from "./read-aws-keys.ts";
import { type AwsProfile, readProfiles } from "./read-profiles.ts";

/** Ways to credentials that need a person, a program or a browser, and those that the environment says as well. */
const NOT_SUPPORTED = ["mfa_serial", "credential_process", "credential_source", "web_identity_token_file"];
const NOT_SUPPORTED_PREFIXES = ["sso_", "login_"];

export const profileName = ({ variable }: AmbientSources): string => variable("AWS_PROFILE") || "default";

/** Whether a profile leads to credentials, and does not only have a region. */
export const hasIdentity = (profile: AwsProfile | undefined): boolean =>
  profile !== undefined && (hasKeys(profile) || profile.has("role_arn") || unsupported(profile) !== undefined);

/** The keys that stand in a profile, or those of its role, which the keys of another profile may assume. */
export async function profileKeys(sources: AmbientSources, signal: AbortSignal): Promise<Issued<AwsKeys>> {
  const profiles = await readProfiles(sources);
  const keysOf = async (name: string, before: readonly string[]): Promise<Issued<AwsKeys>> => {
    const place = `The AWS profile ${name}`;
    const profile = profiles.get(name);
    if (profile === undefined) throw new AmbientError(`${place} is in neither of the files of AWS profiles.`);
    // A profile that others lead to gives its own keys, even if it names a role too.
    if (before.length > 0 && hasKeys(profile)) return ownKeys(place, profile);
    if (before.includes(name)) throw new AmbientError(`${place} leads back to itself by source_profile.`);
    const way = unsupported(profile);
    if (way !== undefined && (profile.has("role_arn") || !hasKeys(profile)))
      throw new AmbientError(refusal(place, way));
    const arn = profile.get("role_arn");
    if (arn === undefined) return ownKeys(place, profile);
    const source = profile.get("source_profile");
    if (source === undefined) throw new AmbientError(`${place} has a role_arn and no source_profile.`);
    const { value: keys } = await keysOf(source, [...before, name]);
    const [sessionName, externalId, region] = ["role_session_name", "external_id", "region"].map((it) =>
      profile.get(it),
    );
    return assumeRole({ sources, signal, keys, role: { arn, sessionName, externalId, region } });
  };
  return keysOf(profileName(sources), []);
}

const hasKeys = (profile: AwsProfile): boolean =>
  profile.has("aws_access_key_id") || profile.has("aws_secret_access_key");

const unsupported = (profile: AwsProfile): string | undefined =>
  [...profile.keys()].find(
    (name) => NOT_SUPPORTED.includes(name) || NOT_SUPPORTED_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );

const refusal = (place: string, way: string): string =>
  `${place} uses ${way}, which is not supported here. Give it keys, or a role_arn with a source_profile that has keys.`;

const ownKeys = (place: string, profile: AwsProfile): Issued<AwsKeys> => ({
  value: readAwsKeys(place, {
    accessKeyId: profile.get("aws_access_key_id"),
    secretAccessKey: profile.get("aws_secret_access_key"),
    sessionToken: profile.get("aws_session_token"),
  }),
  expiresAtMs: null,
});
