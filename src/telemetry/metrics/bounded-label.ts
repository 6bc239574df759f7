/** A label value from a set that is small by intention, made small by force. */
export type BoundedLabel = (value: string) => string;

const OTHER = "other";
const LONGEST = 64;

/** Lets the first `limit` different values through; the rest are `other`, so that series cannot grow without end. */
export function createBoundedLabel(limit: number): BoundedLabel {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit || value.length > LONGEST) return OTHER;
    known.add(value);
    return value;
  };
}
