import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Key } from "./key.ts";

/** Keys that were seen lately, by the digest of the secret that was presented. */
export type KnownKeys = {
  get: (digest: string) => Key | undefined;
  set: (digest: string, key: Key) => void;
  /** Forgets every secret of a key. */
  forget: (keyId: string) => void;
  clear: () => void;
};

type Options = { clock: Clock; cacheEntries: number; cacheMs: number };

/**
 * Digests are found by the id of their key too: word of a change comes for every key that is made or changed, and to look
 * through fifty thousand remembered ones each time would hold up every stream for ten milliseconds.
 */
export function createKnownKeys({ clock, cacheEntries, cacheMs }: Options): KnownKeys {
  const digestsOf = new Map<string, Set<string>>();
  const known = new LRUCache<string, Key>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: clock.elapsedMs },
    dispose: ({ id }, digest) => {
      const digests = digestsOf.get(id);
      digests?.delete(digest);
      if (digests?.size === 0) digestsOf.delete(id);
    },
  });
  return {
    get: (digest) => known.get(digest),
    set: (digest, key) => {
      known.set(digest, key);
      const digests = digestsOf.get(key.id);
      if (digests) digests.add(digest);
      else digestsOf.set(key.id, new Set([digest]));
    },
    forget: (keyId) => {
      for (const digest of digestsOf.get(keyId) ?? []) known.delete(digest);
    },
    clear: () => known.clear(),
  };
}
