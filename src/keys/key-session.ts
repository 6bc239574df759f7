import { hash, randomBytes } from "node:crypto";

/**
 * A session that a key holder opened with one of the secrets of a key. What the key may do is asked of that secret at every use. Null: the
 * key is a client session, whose tokens come and go.
 */
export type KeySession = { keyId: string; secretDigest: Buffer | null; expiresAtMs: number };

export type NewKeySession = { digest: Buffer; keyId: string; secretDigest: Buffer | null; lifetimeMs: number };

/** Where sessions of key holders are kept, in the database that has their keys. */
export type KeySessionStore = {
  /** Until when it holds. The oldest sessions of its key give way, and so do some that have ended. */
  add: (session: NewKeySession) => Promise<number>;
  /** Null: there is none, or it is over. */
  find: (digest: Buffer) => Promise<KeySession | null>;
  remove: (digest: Buffer) => Promise<void>;
};

const RANDOM_BYTES = 32;
const SHAPE = /^tgs_([0-9a-f]{3})[0-9a-f]{64}$/;

/** Names the bucket of its key, since that is where the session is kept. */
export const createSessionToken = (bucket: number): string =>
  `tgs_${bucket.toString(16).padStart(3, "0")}${randomBytes(RANDOM_BYTES).toString("hex")}`;

/** Null: no text that we ever gave out looks like this. */
export function readSessionToken(token: string): { bucket: number; digest: Buffer } | null {
  const bucket = SHAPE.exec(token)?.[1];
  return bucket === undefined ? null : { bucket: Number.parseInt(bucket, 16), digest: sessionDigest(token) };
}

export const sessionDigest = (token: string): Buffer => hash("sha256", token, "buffer");
