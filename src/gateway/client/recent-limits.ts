import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";
import type { Key } from "../../keys/key.ts";
import type { ShowUsage } from "../show-usage.ts";
import { renewingLimits, type UsedLimit } from "./fullest-limit.ts";

/** How full a session's fullest limit was a moment ago; null: not known yet, or it has none. Never waits. */
export type RecentLimits = (key: Key) => UsedLimit | null;

/** A figure of the last minute is good enough for a notice; the ledger decides on every request. */
const FRESH_MS = 15_000;
const KEPT_MS = 300_000;
const MOST_SESSIONS = 10_000;

type Known = { limit: UsedLimit | null; atMs: number };

export function createRecentLimits({
  showUsage,
  clock,
}: {
  showUsage: ShowUsage;
  clock: Pick<Clock, "nowMs" | "elapsedMs">;
}): RecentLimits {
  const known = new LRUCache<string, Known>({ max: MOST_SESSIONS });
  const reading = new Set<string>();

  /** Beside the request, so that nobody waits. What fails is read again with a later request. */
  async function read(key: Key): Promise<void> {
    if (reading.has(key.id)) return;
    reading.add(key.id);
    try {
      const { shown } = await showUsage(key);
      known.set(key.id, { limit: renewingLimits(shown)[0] ?? null, atMs: clock.elapsedMs() });
    } catch {
      known.delete(key.id);
    } finally {
      reading.delete(key.id);
    }
  }

  return (key) => {
    const found = known.get(key.id);
    const ageMs = found === undefined ? Infinity : clock.elapsedMs() - found.atMs;
    if (ageMs > FRESH_MS) void read(key);
    const limit = ageMs > KEPT_MS ? null : (found?.limit ?? null);
    return limit !== null && limit.renewsAtMs > clock.nowMs() ? limit : null;
  };
}
