import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { createAddressLimit } from "./address-limit.ts";
import type { Key, KeyStore } from "./key.ts";
import { createKnownKeys } from "./known-keys.ts";
import { digestOf, parseSecret } from "./secret.ts";

export type Authenticate = {
  /** The key a secret belongs to, whatever its state. Unknown and malformed secrets are refused in the same words. */
  find: (secret: string, address: string) => Promise<Key> | Key;
  /** Forgets what is remembered of a key; null forgets everything, as after a gap in notifications. */
  forget: (keyId: string | null) => void;
};

type Options = {
  store: Pick<KeyStore, "findByDigest">;
  clock: Clock;
  cacheEntries: number;
  cacheMs: number;
  negativeCacheEntries: number;
  negativeCacheMs: number;
  unknownPerMinute: number;
};

/** One message for unknown, malformed, revoked and suspended keys, so that a probe learns nothing. [decision 2] */
export const invalidKey = (): Fault =>
  new Fault(
    "invalid_credentials",
    "The API key is not valid. Check that it was copied whole and has not been revoked.",
  );

/** A flood of keys nobody knows must not become a flood of queries; keys in use are remembered and do not come here. */
const MOST_LOOKUPS = 64;

const busy = (): Fault =>
  new Fault("service_unavailable", "Too many keys are being looked up at once. Try again in a moment.", {
    retryAfterSeconds: 1,
  });

const unreachable = (cause: unknown): Fault =>
  new Fault("service_unavailable", "The key could not be checked just now. Try again in a moment.", {
    retryAfterSeconds: 2,
    cause,
  });

const tooManyUnknown = (waitMs: number): Fault =>
  new Fault("rate_limit_exceeded", "Too many unknown API keys were tried from this address. Wait, and check the key.", {
    retryAfterSeconds: waitMs / 1000,
  });

/** Finds keys by the digest of their secret, through two caches: a flood of unknown keys must not push the known ones out. */
export function createAuthenticate({ store, clock, ...limits }: Options): Authenticate {
  const known = createKnownKeys({ clock, ...limits });
  const unknown = new LRUCache<string, true>({
    max: limits.negativeCacheEntries,
    ttl: limits.negativeCacheMs,
    ttlResolution: 0,
    perf: { now: clock.elapsedMs },
  });
  const addressLimit = createAddressLimit({ clock, perMinute: limits.unknownPerMinute });
  const underway = new Map<string, Promise<Key>>();
  /** Grows when something is forgotten, so that an answer already on its way is not remembered. */
  let generation = 0;

  function find(secret: string, address: string): Promise<Key> | Key {
    if (parseSecret(secret) === null) throw invalidKey();
    // The whole digest is the cache key: a shortened one would let two secrets meet.
    const digest = digestOf(secret);
    const key = known.get(digest);
    if (key) return key;
    if (unknown.has(digest)) throw invalidKey();
    const asked = underway.get(digest);
    if (asked) return asked;
    if (underway.size >= MOST_LOOKUPS) throw busy();
    const waitMs = addressLimit.waitMs(address);
    if (waitMs > 0) throw tooManyUnknown(waitMs);
    const pending = look(digest, address);
    underway.set(digest, pending);
    return pending;
  }

  async function look(digest: string, address: string): Promise<Key> {
    const began = generation;
    try {
      const key = await store.findByDigest(Buffer.from(digest, "base64url")).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (key === null) {
        addressLimit.noteUnknown(address);
        if (began === generation) unknown.set(digest, true);
        throw invalidKey();
      }
      if (began === generation) known.set(digest, key);
      return key;
    } finally {
      underway.delete(digest);
    }
  }

  function forget(keyId: string | null): void {
    generation++;
    // A secret that was unknown a moment ago may be the one just issued.
    unknown.clear();
    if (keyId === null) known.clear();
    else known.forget(keyId);
  }

  return { find, forget };
}
