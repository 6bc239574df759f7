import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const LENGTH_BYTES = 4;
const PURPOSE = "tollgate stored answer 2";

/** What a retry is given again: the body, and what its head said of it. */
type KeptAnswer = { headers: Readonly<Record<string, string>>; body: Buffer };

type Lock = { secret: string; about: string };

/**
 * Answers kept for a retry are encrypted with the secret of the caller they were made for, which is presented again with the
 * retry and stored nowhere. Whoever reads the database reads no answers, and there is no key to keep or to rotate.
 */
export function sealAnswer({ headers, body }: KeptAnswer, { secret, about }: Lock): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), nonce);
  cipher.setAAD(Buffer.from(about));
  const head = Buffer.from(JSON.stringify(headers));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  const sealed = Buffer.concat([...[length, head, body].map((part) => cipher.update(part)), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]);
}

/** Null when the answer was sealed with another secret of the key, or is not what it was. */
export function unsealAnswer(sealed: Buffer, { secret, about }: Lock): KeptAnswer | null {
  const salt = sealed.subarray(0, SALT_BYTES);
  const nonce = sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const tag = sealed.subarray(SALT_BYTES + NONCE_BYTES, SALT_BYTES + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, salt), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(about));
    decipher.setAuthTag(tag);
    const opened = Buffer.concat([
      decipher.update(sealed.subarray(SALT_BYTES + NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    const bodyStart = LENGTH_BYTES + opened.readUInt32BE();
    const headers = JSON.parse(opened.toString("utf8", LENGTH_BYTES, bodyStart)) as Record<string, string>;
    return { headers, body: opened.subarray(bodyStart) };
  } catch {
    return null;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, PURPOSE, KEY_BYTES));
}
