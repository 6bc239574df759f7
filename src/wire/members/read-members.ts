import type { CallFormat } from "../../core/request/dialect.ts";
import { findMembers } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import { cutMembers, saysNothing } from "./cut-members.ts";
import { type CacheMark, inspectMembers, isLeftOut, type UnknownMember } from "./inspect-members.ts";
import type { MediaUrls } from "./media-address.ts";
import { MEMBERS } from "./member-tables.ts";
import type { UnknownMembers } from "./unknown-members.ts";

/** A body whose every member has been read: nothing refused is in it, nothing that is as good as absent, and nothing that was left out. */
export type InspectedBody = ParsedBody & {
  unknown: UnknownMembers;
  cacheMarks: readonly CacheMark[];
  leftOut: readonly UnknownMember[];
};

/** Refuses what no provider is sent, and rids a body of what says nothing or is left out. Its bytes are touched only where there is such. */
export function readMembers(dialect: CallFormat, body: ParsedBody, mediaUrls: MediaUrls): InspectedBody {
  const shape = MEMBERS[dialect];
  const terms = { mediaUrls, refused: "fault" } as const;
  const { fault, changed, unknown, more, ...beside } = inspectMembers(shape, body.value, terms);
  if (fault !== null) throw fault;
  const found = { unknown: { listed: unknown, more }, cacheMarks: beside.cacheMarks, leftOut: beside.leftOut };
  if (!changed) return { ...body, ...found };
  const bytes = cutMembers(
    body.bytes,
    shape,
    (...member) => saysNothing(...member) || (found.leftOut.length > 0 && isLeftOut(...member)),
  );
  return { value: body.value, bytes, members: findMembers(bytes), ...found };
}

/** The same for a body of which nothing comes but a figure: what is refused is left out of it instead. */
export function readCountedMembers(dialect: CallFormat, body: ParsedBody, mediaUrls: MediaUrls): InspectedBody {
  const terms = { mediaUrls, refused: "taken out" } as const;
  const { changed, unknown, more, cacheMarks, leftOut } = inspectMembers(MEMBERS[dialect], body.value, terms);
  const found = { unknown: { listed: unknown, more }, cacheMarks, leftOut };
  if (!changed) return { ...body, ...found };
  const bytes = Buffer.from(JSON.stringify(body.value));
  return { value: body.value, bytes, members: findMembers(bytes), ...found };
}
