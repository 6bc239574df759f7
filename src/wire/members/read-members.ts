import type { ClientDialect } from "../../core/dialect.ts";
import { findMembers } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import { cutMembers, saysNothing } from "./cut-members.ts";
import { type CacheMark, inspectMembers } from "./inspect-members.ts";
import type { MediaUrls } from "./media-address.ts";
import { MEMBERS } from "./member-tables.ts";
import type { UnknownMembers } from "./unknown-members.ts";

/** A body whose every member has been read: nothing refused is in it, and nothing that is as good as absent. */
export type InspectedBody = ParsedBody & { unknown: UnknownMembers; cacheMarks: readonly CacheMark[] };

/** Refuses what no provider is sent, and rids a body of what says nothing. Its bytes are touched only where there is such. */
export function readMembers(dialect: ClientDialect, body: ParsedBody, mediaUrls: MediaUrls): InspectedBody {
  const shape = MEMBERS[dialect];
  const { fault, changed, unknown, more, cacheMarks } = inspectMembers(shape, body.value, {
    mediaUrls,
    refused: "fault",
  });
  if (fault !== null) throw fault;
  const found = { listed: unknown, more };
  if (!changed) return { ...body, unknown: found, cacheMarks };
  const bytes = cutMembers(body.bytes, shape, saysNothing);
  return { value: body.value, bytes, members: findMembers(bytes), unknown: found, cacheMarks };
}

/** The same for a body of which nothing comes but a figure: what is refused is left out of it instead. */
export function readCountedMembers(dialect: ClientDialect, body: ParsedBody, mediaUrls: MediaUrls): InspectedBody {
  const terms = { mediaUrls, refused: "taken out" } as const;
  const { changed, unknown, more, cacheMarks } = inspectMembers(MEMBERS[dialect], body.value, terms);
  const found = { listed: unknown, more };
  if (!changed) return { ...body, unknown: found, cacheMarks };
  const bytes = Buffer.from(JSON.stringify(body.value));
  return { value: body.value, bytes, members: findMembers(bytes), unknown: found, cacheMarks };
}
