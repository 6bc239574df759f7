import type { Json } from "../../core/bytes/json.ts";
import { said } from "../form/read-json.ts";
import { takesSpans } from "./models.ts";

/** What one request may have; with more the whole of it is refused. */
export const MOST_CACHE_POINTS = 4;

/** What stands behind a part that its caller wants to have cached with all before it. */
export function cachePointOf(hint: Json | null | undefined, model: string): Json[] {
  if (hint == null) return [];
  const { ttl } = hint;
  const span = takesSpans(model) && (ttl === "1h" || ttl === "5m") ? ttl : null;
  return [{ cachePoint: said({ type: "default", ttl: span }) }];
}

export const isCachePoint = (part: Json): boolean => "cachePoint" in part;

/** The lists of a request, in its order, with the last points of them all: a later one caches what an earlier one would. */
export function boundCachePoints(lists: readonly Json[][]): void {
  let surplus = lists.flat().filter((part) => isCachePoint(part)).length - MOST_CACHE_POINTS;
  for (const list of lists) {
    for (let at = 0; at < list.length && surplus > 0;) {
      if (!isCachePoint(list[at] as Json)) at++;
      else {
        list.splice(at, 1);
        surplus--;
      }
    }
  }
}
