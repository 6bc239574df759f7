import { z } from "zod";

/** A point in time as the admin API writes it. */
export const instant = z.iso.datetime().transform((text) => Date.parse(text));

export function dateOf(ms: number): string;
export function dateOf(ms: number | null): string | null;
export function dateOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
