/** The value of a cookie; null when there is none of this name, or more than one: one of them may be somebody else's. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const [found, ...others] = pairs.filter((pair) => pair.startsWith(`${name}=`));
  return found === undefined || others.length > 0 ? null : found.slice(name.length + 1);
}
