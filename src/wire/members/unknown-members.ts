import type { CallFormat } from "../../core/request/dialect.ts";
import type { MemberPolicy } from "../../core/request/member-policy.ts";
import type { MemberEdits } from "../json/edit-members.ts";
import { findMembers, type Members } from "../json/members.ts";
import { cutMembers } from "./cut-members.ts";
import type { UnknownMember } from "./inspect-members.ts";
import { MEMBERS } from "./member-tables.ts";

/** The members of a body that no row knows; `more`: and others. */
export type UnknownMembers = { listed: readonly UnknownMember[]; more: boolean };

/** Those that a provider is not told. Of a body with more than are listed, as many as are. [interface decision 10] */
export function droppedMembers({ listed }: UnknownMembers, policy: MemberPolicy): readonly UnknownMember[] {
  if (policy.unknown === "forward" || listed.length === 0) return [];
  const isOpen = openNames(policy);
  return listed.filter(({ name }) => !isOpen(name));
}

type Carried = {
  dialect: CallFormat;
  bytes: Buffer;
  members: Members;
  unknown: UnknownMembers;
  edits?: Readonly<MemberEdits>;
};

/** The same request without the members that this provider is not told; the very same when there are none. */
export function withoutUnknown<Request extends Carried>(request: Request, policy: MemberPolicy): Request {
  const { unknown } = request;
  if (policy.unknown === "forward" || (droppedMembers(unknown, policy).length === 0 && !unknown.more)) return request;
  const isOpen = openNames(policy);
  const bytes = cutMembers(request.bytes, MEMBERS[request.dialect], (name, member) => !member?.known && !isOpen(name));
  const members = findMembers(bytes);
  return { ...request, bytes, members, ...editsOfKept(request, members) };
}

/** What was to be said in place of a member that was cut would bring it back. */
function editsOfKept({ edits, members: before }: Carried, after: Members): Pick<Carried, "edits"> {
  if (edits === undefined) return {};
  const kept = new Set(after.list.map(({ name }) => name));
  const cut = new Set(before.list.flatMap(({ name }) => (kept.has(name) ? [] : [name])));
  return { edits: Object.fromEntries(Object.entries(edits).filter(([name]) => !cut.has(name))) };
}

function openNames({ open }: MemberPolicy): (name: string) => boolean {
  const beginnings = open.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => open.includes(name) || beginnings.some((beginning) => name.startsWith(beginning));
}
