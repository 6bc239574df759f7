import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Key } from "./key.ts";

/** Keys that were seen lately, by the digest of the secret that was presented. */
export type KnownKeys = {
  get: (digest: string) => Key | undefined;
  set: (digest: string, key: Key) => void;
  /** Forgets every secret of a key, or of all keys under an account. */
  forget: (keyOrAccountId: string) => void;
  clear: () => void;
};

type Options = { clock: Clock; cacheEntries: number; cacheMs: number };

/**
 * Digests are found by the id of their key and of its accounts, too: word of a change comes for every key and account that is made
 * or changed, and to look through fifty thousand remembered ones each time would hold up every stream for ten milliseconds.
 */
export function createKnownKeys({ clock, cacheEntries, cacheMs }: Options): KnownKeys {
  const digestsOf = new Map<string, Set<string>>();
  const known = new LRUCache<string, Key>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: clock.elapsedMs },
    dispose: (key, digest) => {
      for (const id of idsOf(key)) {
        const digests = digestsOf.get(id);
        digests?.delete(digest);
        if (digests?.size === 0) digestsOf.delete(id);
      }
    },
  });
  return {
    get: (digest) => known.get(digest),
    set: (digest, key) => {
      known.set(digest, key);
      for (const id of idsOf(key)) {
        const digests = digestsOf.get(id);
        if (digests) digests.add(digest);
        else digestsOf.set(id, new Set([digest]));
      }
    },
    forget: (id) => {
      for (const digest of digestsOf.get(id) ?? []) known.delete(digest);
    },
    clear: () => known.clear(),
  };
}

/** What word of a change may name. The account of a lone key has the key's id. */
export const idsOf = ({ id, accounts }: Key): readonly string[] => (accounts[0] === id ? accounts : [id, ...accounts]);
