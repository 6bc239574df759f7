import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const CHECKSUM_CHARACTERS = 6;

/** Ends a secret, so that a typing error is seen without a look at the database. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let position = 0; position < CHECKSUM_CHARACTERS; position++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

export const hasChecksum = (secret: string): boolean =>
  checksumOf(secret.slice(0, -CHECKSUM_CHARACTERS)) === secret.slice(-CHECKSUM_CHARACTERS);

export function randomCharacters(count: number): string {
  let text = "";
  while (text.length < count) text += charactersFrom(randomBytes(count), count - text.length);
  return text;
}

/** Bytes past the last whole multiple of 62 are thrown away, so that every character is equally likely. At most `count` characters. */
export function charactersFrom(bytes: Buffer, count: number): string {
  let text = "";
  for (const byte of bytes) if (byte < 248 && text.length < count) text += BASE62[byte % 62];
  return text;
}
