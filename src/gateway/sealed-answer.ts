import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const PURPOSE = "tollgate stored answer 1";

/**
 * Answers kept for a retry are encrypted with the secret of the caller they were made for, which is presented again with the
 * retry and stored nowhere. Whoever reads the database reads no answers, and there is no key to keep or to rotate.
 */
export function sealAnswer(body: Buffer, { secret, about }: { secret: string; about: string }): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), nonce);
  cipher.setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]);
}

/** Null when the answer was sealed with another secret of the key, or is not what it was. */
export function unsealAnswer(sealed: Buffer, { secret, about }: { secret: string; about: string }): Buffer | null {
  const salt = sealed.subarray(0, SALT_BYTES);
  const nonce = sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const tag = sealed.subarray(SALT_BYTES + NONCE_BYTES, SALT_BYTES + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, salt), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(about));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(SALT_BYTES + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, PURPOSE, KEY_BYTES));
}
