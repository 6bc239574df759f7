import { z } from "zod";
import { isInYears, YEARS_EXPECTED } from "./moment.ts";

/** A point in time as JSON has it. */
export const instant = z.codec(z.iso.datetime().refine(isInYears, YEARS_EXPECTED), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (ms) => dateOf(ms),
});

export function dateOf(ms: number): string;
export function dateOf(ms: number | null): string | null;
export function dateOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
