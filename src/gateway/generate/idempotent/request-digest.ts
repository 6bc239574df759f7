import { hash } from "node:crypto";
import { LARGE_BODY_BYTES } from "../../../core/bytes/large-body.ts";

const KEPT_DIGITS = 32;
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const [INNER, OUTER] = [0x36, 0x5c];
const inner = Buffer.allocUnsafeSlow(BLOCK_BYTES + LARGE_BODY_BYTES);
const outer = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES);

/**
 * What a request is known by in the journal, in hexadecimal: its holder can show which body a charge was for, and nobody without the
 * secret can try bodies against it. Null for large bodies, which are not read in this thread at all.
 *
 * It is HMAC-SHA-256, put together from two plain hashes: `createHmac` makes an object for each request and takes twice as long.
 */
export function requestDigest(bytes: Buffer, secret: string): string | null {
  if (bytes.length > LARGE_BODY_BYTES) return null;
  writePads(secret);
  bytes.copy(inner, BLOCK_BYTES);
  outer.write(hash("sha256", inner.subarray(0, BLOCK_BYTES + bytes.length), "latin1"), BLOCK_BYTES, "latin1");
  return hash("sha256", outer, "hex").slice(0, KEPT_DIGITS);
}

/** Puts the key in front of both messages, as RFC 2104 says. */
function writePads(secret: string): void {
  const given = Buffer.from(secret);
  const key = given.length > BLOCK_BYTES ? hash("sha256", given, "buffer") : given;
  for (let at = 0; at < BLOCK_BYTES; at++) {
    const byte = at < key.length ? (key[at] as number) : 0;
    inner[at] = byte ^ INNER;
    outer[at] = byte ^ OUTER;
  }
}
