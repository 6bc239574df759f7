import type { Members } from "./members.ts";

/** The value of one member of the outermost object. Only this member is parsed: a body may have 32 MiB. */
export function valueAt({ bytes, members }: { bytes: Buffer; members: Members }, name: string): unknown {
  const member = members.list.find((candidate) => candidate.name === name);
  return member && (JSON.parse(bytes.toString("utf8", member.valueStart, member.valueEnd)) as unknown);
}
