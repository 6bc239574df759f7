/** What an identity provider says of somebody. */
export type ProviderClaims = {
  subject: string;
  /** In lower case. */
  email: string;
  /** Null: the provider does not say. */
  emailVerified: boolean | null;
  name: string;
  groups: readonly string[];
};

type Told = Readonly<Record<string, unknown>>;

const MOST_SUBJECT = 255;
const MOST_NAME = 200;
const MOST_GROUPS = 1_000;
const EMAIL = /^[^\s@\0]{1,64}@[^\s@\0]{1,189}$/;

/** The claims of somebody, or why they are of no use. */
export function readClaims(told: Told, groupsClaim: string): ProviderClaims | { problem: string } {
  const { sub, email, name } = told;
  if (typeof sub !== "string" || sub === "" || sub.length > MOST_SUBJECT) return { problem: "it names no subject" };
  if (typeof email !== "string" || !EMAIL.test(email))
    return { problem: "it tells no email address. Request the scope `email`, and let the provider send the claim" };
  if (isElsewhere(told, groupsClaim))
    return {
      problem: `the person is in too many groups for the claim \`${groupsClaim}\`. Let the provider send only the groups that are assigned to the application`,
    };
  return {
    subject: sub,
    email: email.toLowerCase(),
    emailVerified: verifiedOf(told["email_verified"]),
    name: (typeof name === "string" ? name.trim().replaceAll("\0", "").slice(0, MOST_NAME) : "") || email.toLowerCase(),
    groups: groupsOf(told[groupsClaim]),
  };
}

/** Whether the two sources together tell all that is asked for. */
export const isComplete = (told: Told, groupsClaim: string): boolean =>
  typeof told["email"] === "string" && (groupsClaim in told || isElsewhere(told, groupsClaim));

/** Some providers send a reference in place of a long list. */
const isElsewhere = ({ _claim_names: names }: Told, groupsClaim: string): boolean =>
  typeof names === "object" && names !== null && groupsClaim in names;

/** Some providers write it as text. */
const verifiedOf = (value: unknown): boolean | null =>
  value === true || value === "true" ? true : value === false || value === "false" ? false : null;

const groupsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((group): group is string => typeof group === "string" && group !== "" && !group.includes("\0"))
    .slice(0, MOST_GROUPS);
