import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { tryAgainIn } from "../core/request/parsed-texts.ts";
import { type AddressLimit, createAddressLimit } from "./address-limit.ts";
import type { IssuedDigests } from "./issued-digests.ts";
import type { Key, KeyStore } from "./key.ts";
import { createKnownKeys, idsOf } from "./known-keys.ts";
import { createLookUp, type LookUp } from "./look-up.ts";
import { digestOf, isForeign, isWellFormed } from "./secret.ts";
import { isSessionSecret } from "./session-secret.ts";

/** Where a caller is; null when it cannot be told apart from others. Asked only when it matters. */
export type AddressOf = () => string | null;

export type Authenticate = {
  /** The key a secret belongs to, whatever its state. Unknown and malformed secrets are refused in the same words. */
  find: (secret: string, address: AddressOf) => Promise<Key> | Key;
  /** The same of a key that has changed since it was found. It waits for its turn, however many others do. */
  again: (secret: string, key: Key) => Promise<Key>;
  /** Forgets what is remembered of a key, or of the keys under an account; null: everything, as after a gap in notifications. */
  forget: (keyOrAccountId: string | null) => void;
};

type Options = {
  store: Pick<KeyStore, "findByDigests">;
  issued: Pick<IssuedDigests, "has" | "add">;
  clock: Clock;
  cacheEntries: number;
  cacheMs: number;
  negativeCacheEntries: number;
  negativeCacheMs: number;
  unknownPerMinute: number;
  acceptForeign: "on" | "off";
  foreignUnknownPerMinute: number;
};

/** One message for unknown, malformed, revoked and suspended keys, so that a probe learns nothing. [interface decision 2] */
export const invalidKey = (): Fault =>
  new Fault(
    "invalid_credentials",
    "The API key is not valid. Check that it was copied in full and has not been revoked.",
  );

/** The same for the access tokens of client sessions, whose clients can get another. */
export const invalidSession = (): Fault =>
  new Fault(
    "invalid_credentials",
    "The session is not valid: it has expired or was ended. Refresh it, or sign in again.",
  );

const invalid = (secret: string): Fault => (isSessionSecret(secret) ? invalidSession() : invalidKey());

/** A flood of keys nobody knows must not become a flood of queries. */
const MOST_GUESSES = 64;
/** Of secrets without a checksum, where every typing error is a guess. */
const MOST_FOREIGN_GUESSES = 16;
/** Far more than there are connections to come from. */
const MOST_ISSUED = 100_000;
/** Guesses have time; a statement with up to sixty-four of them every so often is what a flood costs the database. */
const GUESS_PACE_MS = 10;

/** Lookups of secrets that are not known to have been issued, with bounds of their own. */
type Guesses = { lane: LookUp; limit: AddressLimit; most: number };

const busy = (): Fault =>
  new Fault("service_unavailable", "Too many API keys are being looked up at once. Try again in a moment.", {
    retryAfterSeconds: 1,
  });

const unreachable = (cause: unknown): Fault =>
  new Fault("service_unavailable", "The API key can't be checked right now. Try again in a moment.", {
    retryAfterSeconds: 2,
    cause,
  });

function tooManyUnknown(waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1000);
  const message = `Too many unknown API keys were sent from this address. Check the key. ${tryAgainIn(seconds)}`;
  return new Fault("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

/**
 * Finds keys by the digest of their secret, through two caches and in two lanes. Secrets that were issued are looked up at
 * once, whatever else comes from their address; the others wait in a lane of their own, so many at a time and so many per
 * address. Nobody is refused because of the hint alone: what it does not know may have been issued a moment ago.
 */
export function createAuthenticate(options: Options): Authenticate {
  const { issued } = options;
  const lanes = createLanes(options);
  const underway = new Map<string, Promise<Key>>();
  const memory = createMemory({ ...options, isAnswerDue: () => underway.size > 0 });

  function find(secret: string, addressOf: AddressOf): Promise<Key> | Key {
    const guesses = lanes.guessesOf(secret);
    // The whole digest is the cache key: a shortened one would let two secrets meet.
    const digest = digestOf(secret);
    const key = memory.get(digest);
    if (key) return key;
    if (memory.isUnknown(digest)) throw invalid(secret);
    const asked = underway.get(digest);
    if (asked) return asked;
    const bytes = Buffer.from(digest, "base64url");
    return begin({ secret, digest, bytes, ...lanes.laneFor(bytes, guesses, addressOf) });
  }

  function begin(lookup: Lookup): Promise<Key> {
    const pending = look(lookup);
    underway.set(lookup.digest, pending);
    return pending;
  }

  async function look({ secret, digest, bytes, lane, onUnknown }: Lookup): Promise<Key> {
    const began = memory.moment();
    try {
      const key = await lane.find(bytes).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (key === null) {
        onUnknown();
        memory.keepUnknown(digest, began);
        throw invalid(secret);
      }
      issued.add(bytes);
      memory.keep(key, digest, began);
      return key;
    } finally {
      underway.delete(digest);
      if (underway.size === 0) memory.allAnswered();
    }
  }

  async function again(secret: string, { id, version }: Key): Promise<Key> {
    const digest = digestOf(secret);
    // Who comes second finds what the first has read, or waits for it.
    const found = memory.get(digest);
    if (found !== undefined && found.version > version) return found;
    const asked = underway.get(digest);
    if (asked !== undefined) return asked;
    memory.forget(id);
    return begin({ secret, digest, bytes: Buffer.from(digest, "base64url"), ...lanes.issued });
  }

  return { find, again, forget: memory.forget };
}

/** Where a lookup waits for its turn, and what is noted when nobody has the secret. */
type Lane = { lane: LookUp; onUnknown: () => void };
type Lookup = Lane & { secret: string; digest: string; bytes: Buffer };

function createLanes({ store: { findByDigests }, issued, clock, ...limits }: Options) {
  const issuedLane: Lane = { lane: createLookUp({ findByDigests, paceMs: 0 }), onUnknown: () => undefined };
  const guessing = (most: number, perMinute: number): Guesses => ({
    lane: createLookUp({ findByDigests, paceMs: GUESS_PACE_MS }),
    limit: createAddressLimit({ clock, perMinute }),
    most,
  });
  // Apart from each other: strangers who send anything at all must not use up what new keys of ours are found by.
  const guesses = guessing(MOST_GUESSES, limits.unknownPerMinute);
  const foreign = guessing(MOST_FOREIGN_GUESSES, limits.foreignUnknownPerMinute);

  return {
    issued: issuedLane,

    guessesOf: (secret: string): Guesses => {
      if (isWellFormed(secret)) return guesses;
      if (limits.acceptForeign !== "on" || !isForeign(secret)) throw invalid(secret);
      return foreign;
    },

    laneFor: (bytes: Buffer, { lane, limit, most }: Guesses, addressOf: AddressOf): Lane => {
      if (issued.has(bytes)) {
        if (issuedLane.lane.waiting() >= MOST_ISSUED) throw busy();
        return issuedLane;
      }
      if (lane.waiting() >= most) throw busy();
      const address = addressOf();
      const waitMs = address === null ? 0 : limit.waitMs(address);
      if (waitMs > 0) throw tooManyUnknown(waitMs);
      return { lane, onUnknown: () => address !== null && limit.noteUnknown(address) };
    },
  };
}

/** What is remembered of keys, and of secrets that nobody has. An answer that was asked for before something was forgotten is not kept. */
function createMemory({ clock, isAnswerDue, ...limits }: Options & { isAnswerDue: () => boolean }) {
  const known = createKnownKeys({ clock, ...limits });
  const unknown = new LRUCache<string, true>({
    max: limits.negativeCacheEntries,
    ttl: limits.negativeCacheMs,
    ttlResolution: 0,
    perf: { now: clock.elapsedMs },
  });
  /** Grows when something is forgotten. */
  let generation = 0;
  let allForgotten = 0;
  /** When each was forgotten, as long as answers are on their way: that others change keeps no key from being remembered. */
  const forgotten = new Map<string, number>();
  const isForgotten = (key: Key, since: number): boolean =>
    allForgotten > since || idsOf(key).some((id) => (forgotten.get(id) ?? 0) > since);

  return {
    get: known.get,
    isUnknown: (digest: string): boolean => unknown.has(digest),
    moment: (): number => generation,
    keep: (key: Key, digest: string, since: number): void => {
      if (!isForgotten(key, since)) known.set(digest, key);
    },
    keepUnknown: (digest: string, since: number): void => {
      if (since === generation) unknown.set(digest, true);
    },
    forget: (id: string | null): void => {
      generation++;
      // A secret that was unknown a moment ago may be the one just issued.
      unknown.clear();
      if (id === null) {
        allForgotten = generation;
        known.clear();
        return;
      }
      if (isAnswerDue()) forgotten.set(id, generation);
      known.forget(id);
    },
    allAnswered: (): void => forgotten.clear(),
  };
}
