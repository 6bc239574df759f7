import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { KeyMode } from "../core/key-mode.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
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
  bucket = randomBytes(2).readUInt16BE() % BUCKETS,
): { secret: string; bucket: number; prefix: string } {
  const body = `${MARK[mode]}${bucket.toString(16).padStart(3, "0")}${randomCharacters(RANDOM_CHARACTERS)}`;
  const secret = body + checksum(body);
  return { secret, bucket, prefix: secret.slice(0, PREFIX_CHARACTERS) };
}

/** Whether a text may be a secret. The checksum spares the database a look at every typing error. */
export function isWellFormed(secret: string): boolean {
  if (!SHAPE.test(secret)) return false;
  return checksum(secret.slice(0, -CHECKSUM_CHARACTERS)) === secret.slice(-CHECKSUM_CHARACTERS);
}

/** SHA-256: a random secret of this size needs no slow hash. Text, because it is above all looked up by. */
export const digestOf = (secret: string): string => hash("sha256", secret, "base64url");

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let position = 0; position < CHECKSUM_CHARACTERS; position++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Bytes past the last whole multiple of 62 are thrown away, so that every character is equally likely. */
function randomCharacters(count: number): string {
  let text = "";
  while (text.length < count) {
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += BASE62[byte % 62];
  }
  return text;
}
