import type { RequestFacts } from "../core/request/request-facts.ts";
import type { QueuedRecord } from "./record-queue.ts";

/** A row of the table `request`, as JSON: amounts are texts, since a number would lose digits. */
type RecordRow = Readonly<Record<string, unknown>>;

/** When a request came in, by its id, in milliseconds since the epoch. */
export const timeOf = (requestId: string): number => Number.parseInt(requestId.slice(4, 16), 16);

/** The id of a record, in a form that PostgreSQL reads. */
export const uuidOf = (requestId: string): string => requestId.slice(4);

/** What a request is counted under: its error code, else `ok`, or how its generation ended. */
export const codeOf = ({ code, outcome }: Pick<RequestFacts, "code" | "outcome">): string =>
  code ?? (outcome === null || outcome === "completed" ? "ok" : outcome);

/** Undefined members are left out of the JSON, and their columns are null or have their default. */
export function recordRow({ facts, name: { client, agent }, times }: QueuedRecord): RecordRow {
  const { steps, attempts, held, charged, model, modelAsked } = facts;
  const last = attempts?.at(-1);
  return {
    id: uuidOf(facts.requestId),
    times,
    key_id: facts.keyId,
    accounts: facts.accounts,
    route: facts.route,
    format: facts.dialect,
    model_asked: modelAsked === null ? null : storable(modelAsked),
    model,
    provider: last?.provider,
    route_id: last?.routeId,
    region: last?.region,
    status: facts.status,
    code: codeOf(facts),
    outcome: facts.outcome,
    streamed: facts.streamed,
    replay: facts.replay,
    authenticated_us: steps.authenticated,
    read_us: steps.read,
    checked_us: steps.checked,
    admitted_us: steps.admitted,
    dispatched_us: steps.dispatched,
    first_byte_us: steps.first_byte,
    last_byte_us: steps.last_byte,
    settled_us: steps.settled,
    closed_us: steps.closed,
    provider_us: facts.providerUs,
    attempts: attempts === null || (attempts.length === 1 && last?.failure === null) ? undefined : attempts,
    input: facts.inputTokens,
    cached: facts.cachedTokens,
    output: facts.outputTokens,
    reasoning: facts.reasoningTokens,
    held_credits: text(held?.credits),
    held_tokens: text(held?.tokens),
    credits: text(charged?.credits),
    tokens: text(charged?.tokens),
    price_version: facts.priceVersion,
    refusal: facts.refusal === null ? null : storable(facts.refusal),
    client,
    agent,
    dropped: facts.dropped === null ? null : storable(facts.dropped),
    bytes_out: facts.bytesOut,
    trace_id: facts.traceId,
  };
}

const text = (amount: bigint | null | undefined): string | null => (amount == null ? null : String(amount));

/** PostgreSQL keeps no NUL and no half of a pair. */
const storable = (words: string): string => words.replaceAll("\u0000", "?").toWellFormed();
