import { isObject } from "../../core/bytes/is-object.ts";
import type { SoldCache } from "../../core/money/price.ts";
import { fold, type Member } from "./shape.ts";

/** By which a provider is asked to cache what stands before them, in the words of two formats, wherever they stand. */
export const CACHE_MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);
/** For how long, within a mark; and for how long where it does not say. */
export const CACHE_SPAN = "ttl";
const USUAL_SPAN = "5m";

/** Members that say for how long all of a request is cached, and what a provider does where they are absent, or less than that. */
const RETENTION = "prompt_cache_retention";
const OPTIONS = "prompt_cache_options";
const UNASKED: ReadonlySet<unknown> = new Set(["in_memory", "30m"]);
/** All names that a table has for what is cached; some have another meaning elsewhere. */
export const CACHE_NAMES: ReadonlySet<string> = new Set([...CACHE_MARKS, RETENTION, CACHE_SPAN]);
/** Of these names, all that no table knows. This one is about whose cache it is. */
const BEGINNING = "prompt_cache";
const CACHE_KEY = "prompt_cache_key";

/** What a price has to sell for a provider to be asked for it. `longer`: no price names it. */
export type CacheAsk = Exclude<SoldCache, "none"> | "longer";
const REACH: Record<SoldCache | CacheAsk, number> = { none: 0, minutes: 1, hour: 2, longer: 3 };
export const isUnsold = (asked: CacheAsk, sold: SoldCache): boolean => REACH[asked] > REACH[sold];

/** Spans that are no longer than the hour that a price can name. What is not here is taken for longer. */
const WITHIN_AN_HOUR: ReadonlySet<unknown> = new Set(["5m", "30m", "1h"]);

export function askOfSpan(span: unknown): CacheAsk {
  if (span === undefined || span === null || span === USUAL_SPAN) return "minutes";
  return WITHIN_AN_HOUR.has(span) ? "hour" : "longer";
}

/** A member as it is met in a body. `within`: the member that holds its object. */
type Met = { name: string; member: Member | undefined; within: string | null };

/** The table looks into it. */
export const isOpen = (member: Member | undefined): boolean => (member?.inside ?? null) !== null;

/** Whether a member may be about what is cached, and for how long. */
export const isOfCache = ({ name, member, within }: Met): boolean =>
  CACHE_MARKS.has(name) ||
  name === RETENTION ||
  (name === CACHE_SPAN && within === OPTIONS) ||
  (member === undefined && name !== CACHE_KEY && fold(name).startsWith(BEGINNING));

/** What such a member asks for; null: for nothing that its provider would not do unasked. */
export function askOf({ name, member }: Met, value: unknown): CacheAsk | null {
  if (value === null) return null;
  if (CACHE_MARKS.has(name)) return askOfMark(value, isOpen(member));
  if (name !== RETENTION && name !== CACHE_SPAN) return "longer";
  return UNASKED.has(value) ? null : askOfSpan(value);
}

/** In every way in which its reader may find it written. What the table looks into is rid of all but one. */
function askOfMark(mark: unknown, open: boolean): CacheAsk {
  if (!isObject(mark)) return "minutes";
  if (open) return askOfSpan(mark[CACHE_SPAN]);
  const asks = Object.entries(mark).flatMap(([name, span]) => (fold(name) === CACHE_SPAN ? [askOfSpan(span)] : []));
  return longest(["minutes", ...asks]);
}

export const longest = (asks: readonly CacheAsk[]): CacheAsk =>
  asks.reduce((most, ask) => (REACH[ask] > REACH[most] ? ask : most));
