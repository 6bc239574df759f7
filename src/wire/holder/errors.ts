import { z } from "zod";
import { csv } from "../csv.ts";
import { moment } from "./holder.ts";

const MOST_DAYS = 31;
const DAYS = 7;

const fields = { days: z.coerce.number().int().min(1).max(MOST_DAYS).default(DAYS) };
export const errorsQuery = { names: Object.keys(fields), schema: z.strictObject(fields) };

export const holderErrorSchema = z.object({
  code: z.string(),
  count: z.int(),
  last_at: moment.nullable(),
  last_request_id: z.string().nullable(),
  last_message: z.string().nullable(),
  cause: z.string().nullable(),
  fix: z.string().nullable(),
});

/** What GET /me/errors answers. */
export const holderErrorsSchema = z.object({
  from: moment,
  to: moment,
  requests: z.int(),
  data: z.array(holderErrorSchema),
});

export type HolderErrorsBody = z.output<typeof holderErrorsSchema>;

const COLUMNS = ["code", "count", "last_at", "last_request_id", "last_message", "cause", "fix"] as const;

export const errorsCsv = ({ data }: HolderErrorsBody): string =>
  csv([COLUMNS, ...data.map((row) => COLUMNS.map((column) => row[column]))]);
