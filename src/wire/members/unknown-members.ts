import type { UnknownMember } from "./inspect-members.ts";

/** The members of a body that no row knows; `more`: and others. */
export type UnknownMembers = { listed: readonly UnknownMember[]; more: boolean };
