const BYTES = 4;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Numbers as little-endian floats of four bytes, in base64: what clients ask for who want fewer bytes. Null: one of them is none. */
export function encodeVector(numbers: readonly number[]): string | null {
  const bytes = Buffer.allocUnsafe(numbers.length * BYTES);
  for (const [index, number] of numbers.entries()) {
    const float = Math.fround(number);
    if (!Number.isFinite(float)) return null;
    bytes.writeFloatLE(float, index * BYTES);
  }
  return bytes.toString("base64");
}

/** The other way round. Null: it is no vector. */
export function decodeVector(text: string): number[] | null {
  const bytes = bytesOfVector(text);
  if (bytes === null) return null;
  return Array.from({ length: bytes.length / BYTES }, (_, index) => bytes.readFloatLE(index * BYTES));
}

/** How many numbers a text in base64 holds; null: it is no vector. */
export function lengthOfVector(text: string): number | null {
  const bytes = bytesOfVector(text);
  return bytes && bytes.length / BYTES;
}

function bytesOfVector(text: string): Buffer | null {
  if (text.length % BYTES !== 0 || !BASE64.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % BYTES !== 0) return null;
  // An exponent of nothing but ones is that of infinity, and of what is no number.
  for (let at = 2; at < bytes.length; at += BYTES) {
    if ((bytes[at] as number) >= 0x80 && ((bytes[at + 1] as number) & 0x7f) === 0x7f) return null;
  }
  return bytes;
}
