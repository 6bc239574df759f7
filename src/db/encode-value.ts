/**
 * A bound value as PostgreSQL reads it. One encoding for all drivers, since each has its own idea of arrays and dates.
 * An array becomes a PostgreSQL array and any other object JSON; an array meant as JSON is stringified by the caller.
 */
export function encodeValue(value: unknown): string | Buffer | null {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return encodeText(value);
}

/** The same without the binary form, for drivers and array elements that know only text. */
export function encodeText(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "object") return encodeObject(value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new TypeError(`a bound value cannot be ${typeof value}`);
}

function encodeObject(value: object): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(",")}}`;
  return JSON.stringify(value);
}

function encodeElement(element: unknown): string {
  if (Array.isArray(element)) return encodeObject(element);
  const text = encodeText(element);
  return text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
