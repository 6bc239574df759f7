import { hash, randomBytes } from "node:crypto";
import { CHECKSUM_CHARACTERS, checksumOf, hasChecksum, randomCharacters } from "../core/secret/checked-secret.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import { readAccessToken } from "./session-secret.ts";

const RANDOM_CHARACTERS = 32;
const PREFIX_CHARACTERS = 12;
const BUCKETS = 4_096;

const MARK: Record<KeyMode, string> = { credit: "tgc_", token_budget: "tgt_" };
const SHAPE = new RegExp(`^tg[ct]_[0-9a-f]{3}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/**
 * Makes a secret: mode, ledger bucket, 190 random bits, checksum. It is shown once; we keep its digest. A further secret of a
 * key names the bucket its key lies in. [interface decision 5]
 */
export function createSecret(
  mode: KeyMode,
  bucket = randomBucket(),
): { secret: string; bucket: number; prefix: string } {
  const body = `${MARK[mode]}${bucket.toString(16).padStart(3, "0")}${randomCharacters(RANDOM_CHARACTERS)}`;
  const secret = body + checksumOf(body);
  return { secret, bucket, prefix: secret.slice(0, PREFIX_CHARACTERS) };
}

/** A key whose secret does not name its bucket gets one all the same. */
export const randomBucket = (): number => randomBytes(2).readUInt16BE() % BUCKETS;

/** The bucket that a secret of ours names; null: it is of another product. */
export const bucketOf = (secret: string): number | null =>
  SHAPE.test(secret) ? Number.parseInt(secret.slice(4, 7), 16) : (readAccessToken(secret)?.bucket ?? null);

/** Whether a text may be a secret of a key or the access token of a session. The checksum spares the database a look at every typing error. */
export const isWellFormed = (secret: string): boolean =>
  (SHAPE.test(secret) && hasChecksum(secret)) || readAccessToken(secret) !== null;

/** Long enough to be random, short enough for a header; and never one that looks like ours, so that a typing error costs no query. */
const FOREIGN = /^(?!tg[acrt]_)[\x21-\x7e]{24,256}$/;

/** Whether a text may be a secret that another product made. */
export const isForeign = (secret: string): boolean => FOREIGN.test(secret);

/** What a foreign secret is called: it says nothing of the secret itself, and whoever has the secret can compute it. */
export const foreignPrefix = (digest: Buffer): string => `ext_${digest.toString("hex", 0, 4)}`;

const LEAST_BITS = 80;

/** Why a secret of another product is not taken; null when it is. Nothing of it is repeated. */
export function foreignProblem(secret: string): string | null {
  if (/^tg[acrt]_/.test(secret))
    return "It begins like a secret of Tollgate. Rotate the key that it belongs to instead.";
  if (!/^[\x21-\x7e]*$/.test(secret)) return "It must be printable ASCII characters without spaces.";
  if (!isForeign(secret)) return `It has ${secret.length} characters; 24 to 256 are allowed.`;
  const bits = Math.floor(estimatedBits(secret));
  return bits < LEAST_BITS
    ? `It is too easy to guess: about ${bits} bits, and at least ${LEAST_BITS} are needed.`
    : null;
}

/** Characters that do not go on as the ones before them did, times what one of as many different characters can say. */
function estimatedBits(secret: string): number {
  const step = (at: number): number => secret.charCodeAt(at) - secret.charCodeAt(at - 1);
  let surprising = 0;
  for (let at = 0; at < secret.length; at++) if (at < 2 || step(at) !== step(at - 1)) surprising++;
  return surprising * Math.log2(new Set(secret).size);
}

/** SHA-256: a random secret of this size needs no slow hash. Text, because it is above all looked up by. */
export const digestOf = (secret: string): string => hash("sha256", secret, "base64url");
