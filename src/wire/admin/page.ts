import { z } from "zod";
import type { Page } from "../../core/page.ts";
import { sparse } from "../codec.ts";
import { storable } from "../storable.ts";

const LONGEST_PAGE = 1_000;
const LONGEST_SEARCH = 100;
const LONGEST_CURSOR = 4_000;

/** How much of a list is asked for. */
export const pageQuery = (usual: number) =>
  sparse(
    z.strictObject({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(LONGEST_PAGE)
        .default(usual)
        .describe(`Maximum rows per page, up to ${LONGEST_PAGE}.`),
      after: z
        .string()
        .max(LONGEST_CURSOR)
        .exactOptional()
        .describe("`next` from the previous page; omit it for the first page."),
    }),
  );

/** The same for a list that is searched. `matches`: where the text has to stand. */
export const searchQuery = (usual: number, matches: string) =>
  sparse(
    z.strictObject({
      ...pageQuery(usual).in.shape,
      search: storable(LONGEST_SEARCH)
        .min(1)
        .exactOptional()
        .describe(`${matches} Upper and lower case are the same, and there are no wildcards.`),
    }),
  );

/** Every list is answered like this. */
export const pageSchema = <Row extends z.ZodType>(row: Row) =>
  z.object({
    data: z.array(row),
    next: z.string().nullable().describe("Pass it as `after` to get the next page; null: this is the last page."),
  });

export const pageView = <Row, View>({ data, next }: Page<Row>, viewOf: (row: Row) => View) => ({
  data: data.map(viewOf),
  next,
});
