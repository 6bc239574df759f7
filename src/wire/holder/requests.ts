import { z } from "zod";
import { formatAmount, type Unit } from "../../core/money/amount.ts";
import type { Page } from "../../core/page.ts";
import {
  type PriceWork,
  REQUEST_OUTCOMES,
  type RequestMoney,
  type RequestRecord,
  type ShownRequest,
} from "../../core/request/request-record.ts";
import { REQUEST_STEPS, type RequestStep } from "../../core/request/request-facts.ts";
import { csv } from "../csv.ts";
import { dateOf } from "../instant.ts";
import { exactAmount, holderAmounts, holderAmountsSchema } from "./amounts.ts";
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

export const writeRequests = ({ data, next }: Page<RequestRecord>): HolderRequestsBody => ({
  data: data.map(rowOf),
  next,
});

export function writeRequest({ record, money }: ShownRequest): HolderDetailBody {
  return {
    ...rowOf(record),
    steps: stepsOf(record),
    attempts: (record.attempts ?? []).map(({ beganUs, endedUs, status, failure }, index) => ({
      number: index + 1,
      began_ms: beganUs / 1_000,
      ended_ms: endedUs / 1_000,
      status,
      failure,
    })),
    reasoning_tokens: record.reasoningTokens,
    reserved: record.held && holderAmounts(record.held),
    price_version: money?.priceVersion ?? record.priceVersion,
    client: record.client,
    dropped_fields: record.dropped?.split(",") ?? [],
    estimated: money?.estimated ?? false,
    arithmetic: money && { credits: workOf("credit", money.credits), tokens: workOf("tokens", money.tokens) },
    entries: money === null ? [] : entriesOf(money),
  };
}

function rowOf(record: RequestRecord): HolderRequest {
  const { steps, charged } = record;
  return {
    request_id: record.requestId,
    at: dateOf(record.atMs),
    times: record.times,
    model: record.model ?? record.modelAsked,
    status: record.status,
    code: record.code,
    streamed: record.streamed,
    took_ms: Math.round(steps.closed / 1_000),
    first_byte_ms: steps.first_byte === null ? null : Math.round(steps.first_byte / 1_000),
    input_tokens: record.inputTokens,
    cached_tokens: record.cachedTokens,
    output_tokens: record.outputTokens,
    charged: charged && holderAmounts(charged),
    agent: record.agent,
    refusal: record.refusal,
  };
}

const stepsOf = ({ steps }: RequestRecord): HolderDetailBody["steps"] =>
  Object.fromEntries(
    REQUEST_STEPS.map((step) => {
      const us = steps[step];
      return [step, us === null ? null : us / 1_000];
    }),
  ) as HolderDetailBody["steps"];

type Arithmetic = NonNullable<NonNullable<HolderDetailBody["arithmetic"]>["credits"]>;

function workOf(unit: Unit, work: PriceWork | null): Arithmetic | null {
  if (work === null) return null;
  return {
    lines: work.lines.map(({ what, count, unitPrice, millionths }) => ({
      what,
      count: String(count),
      unit_price: formatAmount(unit, unitPrice),
      amount: exactAmount(unit, millionths),
    })),
    sum: work.sum === null ? null : formatAmount(unit, work.sum),
    charged: formatAmount(unit, work.charged),
    gap: work.gap,
  };
}

/** What the operator absorbed, and who of the operators gave something back, is theirs to know. */
const entriesOf = ({ entries }: RequestMoney): HolderDetailBody["entries"] =>
  entries
    .filter(({ kind }) => kind !== "absorbed")
    .map(({ atMs, kind, credits, tokens }) => ({ at: dateOf(atMs), kind, ...holderAmounts({ credits, tokens }) }));

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
