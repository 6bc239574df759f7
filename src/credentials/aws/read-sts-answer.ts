import type { IssuedFields } from "./read-aws-keys.ts";

export type StsAction = "AssumeRole" | "AssumeRoleWithWebIdentity";

const XML = String.raw`\s*(?:<\?xml [^<>]*\?>\s*)?`;
const CREDENTIALS =
  /<Credentials>\s*((?:<(AccessKeyId|SecretAccessKey|SessionToken|Expiration)>[^<>&]*<\/\2>\s*){4})<\/Credentials>/g;
const FIELD = /<(\w+)>([^<>&]*)</g;

/** The four fields of the one `Credentials` in an answer of STS; null for a text of any other form, which is not searched for them. */
export function readStsAnswer(action: StsAction, text: string): IssuedFields | null {
  const envelope = `^${XML}<${action}Response(?: xmlns="[^"<>]*")?>\\s*<${action}Result>([^]*)</${action}Result>[^]*</${action}Response>\\s*$`;
  const result = new RegExp(envelope).exec(text)?.[1];
  // Comments and CDATA could hide what looks like a field.
  if (result === undefined || text.includes("<!")) return null;
  const [found, ...others] = [...result.matchAll(CREDENTIALS)];
  if (found === undefined || others.length > 0 || text.split(/<\/?Credentials\b/).length !== 3) return null;
  const fields = new Map([...(found[1] ?? "").matchAll(FIELD)].map(([, name, value]) => [name, value]));
  return {
    accessKeyId: fields.get("AccessKeyId"),
    secretAccessKey: fields.get("SecretAccessKey"),
    sessionToken: fields.get("SessionToken"),
    expiration: fields.get("Expiration"),
  };
}
