import { z } from "zod";
import { REQUEST_OUTCOMES } from "../../core/request-record.ts";
import { REQUEST_STEPS, type RequestStep } from "../../core/request-facts.ts";
import { csv } from "../csv.ts";
import { holderAmountsSchema } from "./amounts.ts";
import { moment } from "./holder.ts";
import { pageFields, rangeFields } from "./query.ts";

const name = (most: number) => z.string().min(1).max(most).exactOptional();

const filters = {
  model: name(200),
  code: name(100),
  status: z.coerce.number().int().min(100).max(599).exactOptional(),
  outcome: z.enum(REQUEST_OUTCOMES).exactOptional(),
  ...rangeFields,
};

/** Which of the key's requests, and how many. */
const queryOf = (mostRows: number) => {
  const fields = { ...pageFields(mostRows), ...filters };
  return {
    names: Object.keys(fields),
    schema: z.strictObject(fields).transform(({ limit, after, from, to, ...filter }) => ({
      page: { limit, after: after ?? null },
      filter: {
        ...filter,
        ...(from === undefined ? {} : { fromMs: from }),
        ...(to === undefined ? {} : { toMs: to }),
      },
    })),
  };
};
export const requestsQuery = queryOf(200);
export const requestsCsvQuery = queryOf(1_000);

export const holderRequestSchema = z.object({
  request_id: z.string(),
  at: moment,
  times: z.int(),
  model: z.string().nullable(),
  status: z.int(),
  code: z.string(),
  streamed: z.boolean(),
  took_ms: z.int(),
  first_byte_ms: z.int().nullable(),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  output_tokens: z.int(),
  charged: holderAmountsSchema.nullable(),
  agent: z.string().nullable(),
  refusal: z.string().nullable(),
});

export type HolderRequest = z.output<typeof holderRequestSchema>;

/** What GET /me/requests answers. */
export const holderRequestsSchema = z.object({ data: z.array(holderRequestSchema), next: z.string().nullable() });

export type HolderRequestsBody = z.output<typeof holderRequestsSchema>;

const times = z.object(
  Object.fromEntries(REQUEST_STEPS.map((step) => [step, z.number().nullable()])) as Record<
    RequestStep,
    z.ZodNullable<z.ZodNumber>
  >,
);

/** Without the provider and the route: which providers stand behind a model is the operator's business. */
export const holderAttemptSchema = z.object({
  number: z.int(),
  began_ms: z.number(),
  ended_ms: z.number(),
  status: z.int().nullable(),
  failure: z.string().nullable(),
});

export const holderArithmeticSchema = z.object({
  lines: z.array(z.object({ what: z.string(), count: z.string(), unit_price: z.string(), amount: z.string() })),
  sum: z.string().nullable(),
  charged: z.string(),
  gap: z.enum(["provider_failed", "voided", "estimated", "absorbed", "no_price"]).nullable(),
});

/** What GET /me/requests/{request} answers. */
export const holderDetailSchema = z.object({
  ...holderRequestSchema.shape,
  steps: times,
  attempts: z.array(holderAttemptSchema),
  reasoning_tokens: z.int(),
  reserved: holderAmountsSchema.nullable(),
  price_version: z.int().nullable(),
  client: z.string().nullable(),
  dropped_fields: z.array(z.string()),
  estimated: z.boolean(),
  arithmetic: z
    .object({ credits: holderArithmeticSchema.nullable(), tokens: holderArithmeticSchema.nullable() })
    .nullable(),
  entries: z.array(z.object({ at: moment, kind: z.string(), ...holderAmountsSchema.shape })),
});

export type HolderDetailBody = z.output<typeof holderDetailSchema>;

const COLUMNS = [
  "request_id",
  "at",
  "times",
  "model",
  "status",
  "code",
  "streamed",
  "took_ms",
  "first_byte_ms",
  "input_tokens",
  "cached_tokens",
  "output_tokens",
] as const;

export const requestsCsv = ({ data }: HolderRequestsBody): string =>
  csv([
    [...COLUMNS, "credits", "tokens", "agent", "refusal"],
    ...data.map((row) => [
      ...COLUMNS.map((column) => (column === "streamed" ? String(row.streamed) : row[column])),
      row.charged?.credits ?? null,
      row.charged?.tokens ?? null,
      row.agent,
      row.refusal,
    ]),
  ]);
