import { formatAmount, type Unit } from "../../core/amount.ts";
import { Fault } from "../../core/fault.ts";
import { requestUuid } from "../../core/ids.ts";
import type { PageRequest } from "../../core/page.ts";
import { REQUEST_STEPS } from "../../core/request-facts.ts";
import type {
  ListRequests,
  PriceWork,
  RequestFilter,
  RequestMoney,
  RequestRecord,
  ShowRequest,
} from "../../core/request-record.ts";
import { exactAmount, holderAmounts } from "../../wire/holder/amounts.ts";
import type { HolderDetailBody, HolderRequest, HolderRequestsBody } from "../../wire/holder/requests.ts";
import type { KeyHolder } from "./holder-door.ts";
import type { OwnKeys } from "./own-keys.ts";
import { recordsAway } from "./records-away.ts";

/** What of a key's requests is asked for; never of whom. */
type OwnFilter = Pick<RequestFilter, "model" | "code" | "status" | "outcome" | "fromMs" | "toMs">;

/** GET /me/requests: the holder's requests, newest first. */
export type ListOwnRequests = (
  holder: KeyHolder,
  asked: { filter: OwnFilter; page: PageRequest },
) => Promise<HolderRequestsBody>;

/** GET /me/requests/{request}: one of them. That of somebody else is not found, as one that never was. */
export type ShowOwnRequest = (holder: KeyHolder, requestId: string) => Promise<HolderDetailBody>;

export const createListOwnRequests =
  ({ listRequests, ownKeys }: { listRequests: ListRequests; ownKeys: OwnKeys }): ListOwnRequests =>
  async (holder, { filter, page }) => {
    const own = ofKeys(await ownKeys(holder));
    const { data, next } = await listRequests({ ...filter, ...own }, page).catch(recordsAway);
    return { data: data.map(listed), next };
  };

export const createShowOwnRequest =
  ({ showRequest, ownKeys }: { showRequest: (bucket: number) => ShowRequest; ownKeys: OwnKeys }): ShowOwnRequest =>
  async (holder, requestId) => {
    const id = requestUuid(requestId);
    const shown = id === null ? null : await showRequest(holder.key.bucket)(id).catch(recordsAway);
    const keyId = shown?.record.keyId ?? null;
    if (shown === null || keyId === null || !(await ownKeys(holder)).includes(keyId)) throw notFound();
    const { record, money } = shown;
    return {
      ...listed(record),
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
  };

/** One key is found faster by itself. */
export const ofKeys = ([first, ...others]: readonly string[]): Pick<RequestFilter, "keyId" | "within"> =>
  first === undefined || others.length > 0
    ? { within: first === undefined ? [] : [first, ...others] }
    : { keyId: first };

function listed(record: RequestRecord): HolderRequest {
  const { steps, charged } = record;
  return {
    request_id: record.requestId,
    at: instantOf(record.atMs),
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
    .map(({ atMs, kind, credits, tokens }) => ({ at: instantOf(atMs), kind, ...holderAmounts({ credits, tokens }) }));

const notFound = (): Fault =>
  new Fault(
    "not_found",
    "You have no record of this request. It is still in progress, or older than records are kept, or not a request of yours.",
  );

const instantOf = (ms: number): string => new Date(ms).toISOString();
