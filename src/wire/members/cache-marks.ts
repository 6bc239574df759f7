import type { ClientDialect } from "../../core/dialect.ts";
import type { SoldCache } from "../../core/price.ts";
import { findMembers, type Members } from "../json/members.ts";
import { cutMembers } from "./cut-members.ts";
import { CACHE_MARKS, CACHE_SPAN, type CacheMark, type UnknownMember } from "./inspect-members.ts";
import { MEMBERS } from "./member-tables.ts";

/** What of these is not asked for, since it is not sold. */
export function unsoldMarks(marks: readonly CacheMark[], sold: SoldCache): readonly UnknownMember[] {
  if (marks.length === 0 || sold === "hour") return [];
  if (sold === "none") return marks;
  const ofSpan = (mark: CacheMark): UnknownMember =>
    mark.open ? { name: mark.name, path: `${mark.path}.${CACHE_SPAN}`, at: `${mark.at}.${CACHE_SPAN}` } : mark;
  return marks.filter(({ long }) => long).map(ofSpan);
}

type Marked = { dialect: ClientDialect; bytes: Buffer; members: Members; cacheMarks: readonly CacheMark[] };

/** The same request without them; the very same when there are none. [interface decision 13] */
export function withoutUnsold<Request extends Marked>(request: Request, sold: SoldCache): Request {
  if (unsoldMarks(request.cacheMarks, sold).length === 0) return request;
  const bytes = cutMembers(request.bytes, MEMBERS[request.dialect], (name, member, { within }) =>
    CACHE_MARKS.has(name)
      ? sold === "none" || (member?.inside ?? null) === null
      : name === CACHE_SPAN && within !== null && CACHE_MARKS.has(within),
  );
  return { ...request, bytes, members: findMembers(bytes), cacheMarks: [] };
}
