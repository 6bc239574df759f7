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
  const length = lengthOfVector(text);
  if (length === null) return null;
  const bytes = Buffer.from(text, "base64");
  const numbers = Array.from({ length }, (_, index) => bytes.readFloatLE(index * BYTES));
  return numbers.every(Number.isFinite) ? numbers : null;
}

/** How many numbers a text in base64 holds; null: it is no vector. */
export function lengthOfVector(text: string): number | null {
  if (text.length % BYTES !== 0 || !BASE64.test(text)) return null;
  const bytes = Buffer.byteLength(text, "base64");
  return bytes === 0 || bytes % BYTES !== 0 ? null : bytes / BYTES;
}
