import { z } from "zod";
import { Fault, fieldFault } from "../../core/fault.ts";
import { type ReadAs, type Schema, validate } from "../validate.ts";

/** The parameters that a read takes. */
export type Query<Of extends Schema = Schema> = { names: readonly string[]; schema: Of };

const LONGEST_PAGE = 200;
const LONGEST_CURSOR = 1_000;
const ROWS = 50;

const page = {
  limit: z.coerce.number().int().min(1).max(LONGEST_PAGE).default(ROWS),
  after: z.string().max(LONGEST_CURSOR).exactOptional(),
};

export const noQuery: Query<z.ZodObject> = { names: [], schema: z.strictObject({}) };

/** How much of a list is asked for. */
export const pageQuery = {
  names: Object.keys(page),
  schema: z.strictObject(page).transform(({ limit, after }) => ({ limit, after: after ?? null })),
};

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
