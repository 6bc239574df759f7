import { z } from "zod";

/** As ISO 8601 these have four digits for the year. PostgreSQL reads no others, and has no year 0. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const SHAPE = "Input should be a date and time with its zone, such as 2027-01-31T00:00:00Z";

export const YEARS_EXPECTED = "Input should be in the years 1 to 9999, UTC";

export function isInYears(text: string): boolean {
  const ms = Date.parse(text);
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** A date and time with its offset, which may lead into another year than the one that is written. */
export const moment = z.iso.datetime({ offset: true, error: SHAPE }).refine(isInYears, YEARS_EXPECTED);
