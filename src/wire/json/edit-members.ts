import type { Members } from "./members.ts";

/** A member's new value as JSON text; `null` takes the member away. */
export type MemberEdits = Record<string, string | null>;

/** Sets, adds or removes members of the outermost object; every other byte stays as it was. */
export function editMembers(bytes: Buffer, members: Members, edits: MemberEdits): Buffer {
  const changes = new Map(Object.entries(edits));
  const first = members.list[0];
  const parts = [bytes.subarray(0, first ? first.nameStart : bytes.indexOf("{") + 1)];
  let written = 0;
  let previousEnd = -1;

  for (const member of members.list) {
    const value = changes.get(member.name);
    changes.delete(member.name);
    if (value !== null) {
      // Between two neighbours that both stay, the caller's own comma and spaces stay too.
      if (written > 0) parts.push(previousEnd === -1 ? COMMA : bytes.subarray(previousEnd, member.nameStart));
      const valueEnd = value === undefined ? member.valueEnd : member.valueStart;
      parts.push(bytes.subarray(member.nameStart, valueEnd));
      if (value !== undefined) parts.push(Buffer.from(value));
      written++;
    }
    previousEnd = value === null ? -1 : member.valueEnd;
  }
  for (const [name, value] of changes) {
    if (value === null) continue;
    parts.push(Buffer.from(`${written > 0 ? "," : ""}${JSON.stringify(name)}:${value}`));
    written++;
  }
  parts.push(bytes.subarray(members.list.at(-1)?.valueEnd ?? bytes.lastIndexOf("}")));
  return Buffer.concat(parts);
}

const COMMA = Buffer.from(",");
