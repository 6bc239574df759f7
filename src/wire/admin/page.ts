import { z } from "zod";

/** Every list is answered like this. */
export const pageSchema = <Row extends z.ZodType>(row: Row) =>
  z.object({
    data: z.array(row),
    next: z.string().nullable().describe("Where the next page begins, for `after`; null at the end of the list."),
  });
