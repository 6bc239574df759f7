import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { COUNTER_KINDS } from "../../core/counter.ts";
import { csv } from "../csv.ts";
import { moment } from "./holder.ts";

export const holderEntrySchema = z.object({
  at: moment,
  settled_at: moment.nullable(),
  kind: z.string(),
  credits: z.string().nullable(),
  tokens: z.string().nullable(),
  running: z.string().nullable(),
  request_id: z.string().nullable(),
  model: z.string().nullable(),
  price_version: z.int().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  reference: z.string().nullable(),
});

/** What GET /me/ledger answers. */
export const holderLedgerSchema = z.object({
  unit: z.enum(UNITS),
  counter_kind: z.enum(COUNTER_KINDS).nullable(),
  data: z.array(holderEntrySchema),
  next: z.string().nullable(),
});

export type HolderLedgerBody = z.output<typeof holderLedgerSchema>;

const COLUMNS = Object.keys(holderEntrySchema.shape) as (keyof typeof holderEntrySchema.shape)[];

export const ledgerCsv = ({ data }: HolderLedgerBody): string =>
  csv([COLUMNS, ...data.map((row) => COLUMNS.map((column) => row[column]))]);
