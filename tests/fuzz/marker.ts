import { createHash } from "node:crypto";

/**
 * A word that belongs to one request and to no other. It carries a checksum, so that a mutation that changes a digit makes a
 * word nobody owns and not the word of another request.
 */
const MARKER = /fz[0-9a-f]{18}/g;

/** Stands in a case where its marker goes, at the same length, so that lengths announced for the one are true of the other. */
export const MARKER_PLACE = "@marker-goes-here-20";

export function markerOf(number: number): string {
  const digits = number.toString(16).padStart(10, "0");
  return `fz${digits}${checksum(digits)}`;
}

/** Every marker in a text, each once. */
export function markersIn(text: string): string[] {
  const found = text.match(MARKER) ?? [];
  return [...new Set(found)].filter((marker) => marker.slice(12) === checksum(marker.slice(2, 12)));
}

function checksum(digits: string): string {
  return createHash("sha1").update(digits).digest("hex").slice(0, 8);
}
