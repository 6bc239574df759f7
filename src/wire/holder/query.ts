import { z } from "zod";
import { Fault, fieldFault } from "../../core/fault.ts";
import { type ReadAs, type Schema, validate } from "../validate.ts";

/** The parameters that a read takes. */
export type Query<Of extends Schema = Schema> = { names: readonly string[]; schema: Of };

const LONGEST_PAGE = 200;
const LONGEST_FILE = 1_000;
const LONGEST_CURSOR = 1_000;
const ROWS = 50;

/** How much of a list is asked for, at most so many rows. */
export const pageFields = (most: number) => ({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(most > LONGEST_PAGE ? most : ROWS),
  after: z.string().max(LONGEST_CURSOR).exactOptional(),
});

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** A time from which on, and one before which. */
export const rangeFields = { from: instant.exactOptional(), to: instant.exactOptional() };

export const noQuery: Query<z.ZodObject> = { names: [], schema: z.strictObject({}) };

const pageQueryOf = (most: number) => ({
  names: Object.keys(pageFields(most)),
  schema: z.strictObject(pageFields(most)).transform(({ limit, after }) => ({ limit, after: after ?? null })),
});

/** How much of a list is asked for. */
export const pageQuery = pageQueryOf(LONGEST_PAGE);

/** The same of a file. */
export const filePageQuery = pageQueryOf(LONGEST_FILE);

/** Reads the query of a request target. What nobody asked for is not repeated: people put keys into addresses. */
export function readQuery<Of extends Schema>({ names, schema }: Query<Of>, target: string): ReadAs<Of> {
  const mark = target.indexOf("?");
  const values: Record<string, string> = {};
  for (const [name, value] of mark === -1 ? [] : new URLSearchParams(target.slice(mark + 1))) {
    if (!names.includes(name)) throw new Fault("invalid_request", `Unknown query parameter. ${taken(names)}`);
    if (name in values) throw fieldFault(name, "The parameter appears more than once. Send it once.");
    values[name] = value;
  }
  return validate(schema, values) as ReadAs<Of>;
}

const taken = (names: readonly string[]): string =>
  names.length === 0 ? "This path takes none." : `This path takes ${names.join(", ")}.`;
