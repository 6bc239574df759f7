import type { CallFormat } from "../core/request/dialect.ts";
import { FAULT_CODES } from "../core/fault.ts";
import { requestIdOf } from "../core/ids.ts";
import { type AttemptFacts, REQUEST_STEPS, type StepTimes } from "../core/request/request-facts.ts";
import type { RequestFilter, RequestRecord } from "../core/request/request-record.ts";
import type { Queryable } from "../db/database.ts";
import { timeOf } from "./record-row.ts";
import type { FindStore, IdRange } from "./list-requests.ts";

const STEPS = REQUEST_STEPS.map((step) => `${step}_us`).join(", ");
export const RECORD_COLUMNS = `
  id, times, key_id as "keyId", accounts, route, format as dialect, model_asked as "modelAsked", model, provider, route_id as "routeId", status, code,
  outcome, streamed, replay, ${STEPS}, provider_us as "providerUs", attempts, input as "inputTokens", cached as "cachedTokens",
  output as "outputTokens", reasoning as "reasoningTokens", held_credits as "heldCredits", held_tokens as "heldTokens", credits, tokens,
  price_version as "priceVersion", refusal, client, agent, dropped, bytes_out as "bytesOut", trace_id as "traceId", region`;

export type RequestRow = { [Step in keyof StepTimes as `${Step}_us`]: StepTimes[Step] } & {
  id: string;
  times: number;
  keyId: string | null;
  accounts: string[];
  route: string;
  dialect: CallFormat | null;
  modelAsked: string | null;
  model: string | null;
  provider: string | null;
  routeId: string | null;
  status: number;
  code: string;
  outcome: string | null;
  streamed: boolean;
  replay: boolean;
  providerUs: number;
  /** Those of before say nothing of regions. */
  attempts: (Omit<AttemptFacts, "region"> & { region?: string | null })[] | null;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  heldCredits: bigint | null;
  heldTokens: bigint | null;
  credits: bigint | null;
  tokens: bigint | null;
  priceVersion: number | null;
  refusal: string | null;
  client: string | null;
  agent: string | null;
  dropped: string | null;
  bytesOut: bigint;
  traceId: string | null;
  region: string | null;
};

/** The row as it was when it was written. One attempt that succeeded was not written beside the columns that tell of it. */
export function recordOf(row: RequestRow): RequestRecord {
  const { id, heldCredits, heldTokens, credits, tokens, routeId, bytesOut, traceId, attempts, ...rest } = row;
  const steps = Object.fromEntries(REQUEST_STEPS.map((step) => [step, row[`${step}_us`]])) as StepTimes;
  for (const step of REQUEST_STEPS) delete (rest as Partial<RequestRow>)[`${step}_us`];
  const { provider } = rest;
  const requestId = requestIdOf(id);
  return {
    ...rest,
    requestId,
    atMs: timeOf(requestId),
    steps,
    attempts:
      attempts?.map((attempt) => ({ ...attempt, region: attempt.region ?? null })) ??
      (provider === null || routeId === null ? null : [{ ...answered(provider, routeId, steps), region: row.region }]),
    held: heldCredits === null && heldTokens === null ? null : { credits: heldCredits, tokens: heldTokens },
    charged: credits === null && tokens === null ? null : { credits, tokens },
    bytesOut: Number(bytesOut),
    traceId: traceId?.replaceAll("-", "") ?? null,
  };
}

const answered = (provider: string, routeId: string, { dispatched, first_byte: firstByte, closed }: StepTimes) => ({
  provider,
  routeId,
  beganUs: dispatched ?? 0,
  endedUs: firstByte ?? closed,
  status: 200,
  failure: null,
});

/** What the index of the table is made of: both must stand here as they stand there. */
const PLACES = "(accounts || key_id)";
const FACETS = "(array[model, provider, code, agent, status::text])";

/** All that a request that was rejected or failed can be counted under. */
const ERRORS = [...FAULT_CODES, "upstream_failed", "timed_out", "limited"];

/** What is searched by the index is compared once more by its column: a model may be called as a provider is. */
function conditionsOf(filter: RequestFilter, { below, from }: IdRange): { where: string; values: unknown[] } {
  const { keyId, accountId, within, outcome, status, ...named } = filter;
  const values: unknown[] = [];
  const put = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const conditions = [`id < ${put(below, "uuid")}`, `id >= ${put(from, "uuid")}`];
  const places = [keyId, accountId].filter((id) => id !== undefined);
  if (places.length > 0) conditions.push(`${PLACES} @> ${put(places, "uuid[]")}`);
  if (within !== undefined) conditions.push(`${PLACES} && ${put(within, "uuid[]")}`);
  if (keyId !== undefined) conditions.push(`key_id = ${put(keyId, "uuid")}`);
  const code = outcome === "ok" || outcome === "client_gone" ? outcome : undefined;
  const columns = [
    ["model", named.model],
    ["provider", named.provider],
    ["code", named.code],
    ["code", code],
    ["agent", named.agent],
    ["status::text", status === undefined ? undefined : String(status)],
  ] as const;
  const asked = columns.filter(([, value]) => value !== undefined);
  if (asked.length > 0) conditions.push(`${FACETS} @> ${put([...new Set(asked.map(([, value]) => value))], "text[]")}`);
  for (const [column, value] of asked) conditions.push(`${column} = ${put(value, "text")}`);
  if (outcome === "error") {
    conditions.push(`${FACETS} && ${put(ERRORS, "text[]")}`, `code = any (${put(ERRORS, "text[]")})`);
  }
  return { where: conditions.join(" and "), values };
}

/** `offset 0`: all that matches is found first and then sorted, so that a walk along all rows is no choice. */
const SEARCH = {
  walk: (where: string, limit: string) =>
    `select ${RECORD_COLUMNS} from request where ${where} order by id desc limit ${limit}`,
  index: (where: string, limit: string) =>
    `select * from (select ${RECORD_COLUMNS} from request where ${where} offset 0) f order by id desc limit ${limit}`,
};

export const createFindStore = (queryable: Queryable): FindStore => ({
  oldest: async () => {
    const [row] = await queryable.query<{ id: string }>("select id from request order by id limit 1");
    return row?.id ?? null;
  },
  floor: async ({ below, from }, rows) => {
    const sql = "select id from request where id < $1::uuid and id >= $2::uuid order by id desc offset $3 limit 1";
    const [row] = await queryable.query<{ id: string }>(sql, [below, from, rows]);
    return row?.id ?? null;
  },
  find: async (filter, { limit, how, ...range }) => {
    const { where, values } = conditionsOf(filter, range);
    const place = `$${values.push(limit)}::int`;
    const rows = await queryable.query<RequestRow>(SEARCH[how](where, place), values);
    return rows.map(recordOf);
  },
});
