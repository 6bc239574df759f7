import type { ClientDialect } from "../../core/request/dialect.ts";
import type { SoldCache } from "../../core/money/price.ts";
import { findMembers, type Members } from "../json/members.ts";
import { askOf, askOfSpan, CACHE_MARKS, CACHE_SPAN, isOfCache, isOpen, isUnsold } from "./cache-asks.ts";
import { cutMembers, type IsCut } from "./cut-members.ts";
import type { CacheMark, UnknownMember } from "./inspect-members.ts";
import { MEMBERS } from "./member-tables.ts";

/** What of these is not asked for, since it is not sold. */
export function unsoldMarks(marks: readonly CacheMark[], sold: SoldCache): readonly UnknownMember[] {
  if (marks.length === 0 || sold === "none") return marks;
  const ofSpan = (mark: CacheMark): UnknownMember =>
    mark.open ? { name: mark.name, path: `${mark.path}.${CACHE_SPAN}`, at: `${mark.at}.${CACHE_SPAN}` } : mark;
  return marks.filter(({ asks }) => isUnsold(asks, sold)).map(ofSpan);
}

type Marked = { dialect: ClientDialect; bytes: Buffer; members: Members; cacheMarks: readonly CacheMark[] };

/** The same request without them; the very same when there are none. [interface decision 13] */
export function withoutUnsold<Request extends Marked>(request: Request, sold: SoldCache): Request {
  if (unsoldMarks(request.cacheMarks, sold).length === 0) return request;
  const bytes = cutMembers(request.bytes, MEMBERS[request.dialect], unsoldIn(sold));
  return { ...request, bytes, members: findMembers(bytes), cacheMarks: [] };
}

/** Where an hour is not sold, every span goes from the marks that stay: without one they ask for the shortest. */
const unsoldIn =
  (sold: SoldCache): IsCut =>
  (name, member, { within, value }) => {
    if (name === CACHE_SPAN && within !== null && CACHE_MARKS.has(within))
      return sold !== "hour" || isUnsold(askOfSpan(value()), sold);
    const met = { name, member, within };
    if (!isOfCache(met)) return false;
    if (CACHE_MARKS.has(name) && sold !== "hour") return sold === "none" || !isOpen(member);
    const asked = CACHE_MARKS.has(name) && isOpen(member) ? null : askOf(met, value());
    return asked !== null && isUnsold(asked, sold);
  };
