import { hash, randomBytes } from "node:crypto";
import { CHECKSUM_CHARACTERS, checksumOf, hasChecksum, randomCharacters } from "../core/secret/checked-secret.ts";

const RANDOM_CHARACTERS = 36;
const PREFIX_CHARACTERS = 12;
const SHAPE = new RegExp(`^tgp_[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/** A personal token: 214 random bits and a checksum. It is shown once; its digest is kept. */
export function createTokenSecret(): { secret: string; digest: Buffer; prefix: string } {
  const body = `tgp_${randomCharacters(RANDOM_CHARACTERS)}`;
  const secret = body + checksumOf(body);
  return { secret, digest: secretDigest(secret), prefix: secret.slice(0, PREFIX_CHARACTERS) };
}

export const isTokenSecret = (text: string): boolean => SHAPE.test(text) && hasChecksum(text);

/** What a session's cookie has, and what the token of the first start is. */
export function createSessionSecret(): { secret: string; digest: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { secret, digest: secretDigest(secret) };
}

export const isSessionSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Random secrets of this size need no slow hash. */
export const secretDigest = (secret: string): Buffer => hash("sha256", secret, "buffer");
