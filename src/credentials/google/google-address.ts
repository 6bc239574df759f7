import { AmbientError } from "../ambient/ambient.ts";

/** Everything in Google Cloud; what a token may do is decided by the roles of its account. */
export const CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/**
 * An address out of a credential file, if it is https at one of these hosts. A key or a token goes there, so that the address is
 * judged after it was parsed, and used as it was parsed.
 */
export function googleAddress(text: unknown, name: string, hosts: readonly string[]): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const plain = url !== null && url.username + url.password + url.search + url.hash === "";
  if (plain && url.protocol === "https:" && hosts.includes(url.host)) return url;
  throw new AmbientError(`${name} must be an https address at ${hosts.join(" or ")}.`);
}
