import type { By } from "../core/people/by.ts";
import { Fault } from "../core/fault.ts";
import type { Page, PageRequest } from "../core/page.ts";
import type {
  ListRequests,
  RequestOutcome,
  RequestRecord,
  ShownRequest,
  ShowRequest,
} from "../core/request/request-record.ts";
import type { FindKey } from "../keys/find-key.ts";
import type { FindAccount } from "./find/find-account.ts";
import { accountWithin, isWithin, keyWithin } from "./find/find-within.ts";
import { placeOf } from "./live.ts";
import type { LiveNames } from "./find/live-names.ts";
import { readRequestId } from "./find/read-request-id.ts";

/** Which requests. Null: whatever it is. */
export type AskedRequests = PageRequest & {
  /** By id or prefix. */
  key: string | null;
  /** By id or names; all below it, too. */
  account: string | null;
  model: string | null;
  provider: string | null;
  code: string | null;
  status: number | null;
  agent: string | null;
  outcome: RequestOutcome | null;
  fromMs: number | null;
  toMs: number | null;
};

type Placed = { keyPrefix: string | null; accountId: string | null; accountPath: readonly string[] };

/** A request in a list. */
export type ListedRequest = Pick<
  RequestRecord,
  | "requestId"
  | "atMs"
  | "times"
  | "keyId"
  | "route"
  | "dialect"
  | "model"
  | "modelAsked"
  | "provider"
  | "status"
  | "code"
  | "streamed"
  | "replay"
  | "inputTokens"
  | "cachedTokens"
  | "outputTokens"
  | "charged"
  | "agent"
  | "refusal"
> &
  Placed & { tookMs: number; firstByteMs: number | null };

/** A request with all that is known of it. */
export type RequestDetail = ListedRequest &
  Pick<
    RequestRecord,
    | "outcome"
    | "steps"
    | "providerUs"
    | "region"
    | "attempts"
    | "reasoningTokens"
    | "held"
    | "priceVersion"
    | "client"
    | "bytesOut"
    | "traceId"
  > & { dropped: readonly string[] } & Pick<ShownRequest, "money">;

/** How operators read what became of requests. Whoever sees a part of the accounts sees what these asked for. */
export type ReadRequests = {
  list: (asked: AskedRequests, by: Pick<By, "within">) => Promise<Page<ListedRequest>>;
  show: (requestId: string, by: Pick<By, "within">) => Promise<RequestDetail>;
};

type Parts = {
  listRequests: ListRequests;
  showRequest: ShowRequest;
  findKey: FindKey;
  findAccount: FindAccount;
  nameAll: (rows: readonly Pick<RequestRecord, "keyId" | "accounts">[]) => Promise<LiveNames>;
};

export const createReadRequests = (parts: Parts): ReadRequests => ({
  list: async ({ limit, after, key, account, ...rest }, { within }) => {
    const { listRequests, findKey, findAccount, nameAll } = parts;
    const [found, holder] = [
      key === null ? null : await keyWithin(findKey, { name: key, within }),
      account === null ? null : await accountWithin(findAccount, { name: account, within }),
    ];
    const filter = {
      ...said(rest),
      ...(found && { keyId: found.id }),
      ...(holder && { accountId: holder.id }),
      ...(within && { within }),
    };
    const { data, next } = await listRequests(filter, { limit, after });
    const names = await nameAll(data);
    return { data: data.map((record) => listed(record, names)), next };
  },
  show: async (requestId, { within }) => {
    const shown = await parts.showRequest(readRequestId(requestId));
    if (shown === null || !isWithin(shown.record.accounts, within))
      throw new Fault(
        "not_found",
        "There is no record of this request. It is still in flight, or older than records are kept, or was never received.",
      );
    const { record, money } = shown;
    const {
      outcome,
      steps,
      providerUs,
      region,
      attempts,
      reasoningTokens,
      held,
      priceVersion,
      client,
      bytesOut,
      traceId,
    } = record;
    return {
      ...listed(record, await parts.nameAll([record])),
      outcome,
      steps,
      providerUs,
      region,
      attempts,
      reasoningTokens,
      held,
      priceVersion,
      client,
      bytesOut,
      traceId,
      dropped: record.dropped?.split(",") ?? [],
      money,
    };
  },
});

/** Without what is not asked for. */
const said = <Value extends object>(values: Value) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [Name in keyof Value]?: Exclude<Value[Name], null>;
  };

function listed(record: RequestRecord, names: LiveNames): ListedRequest {
  const { steps, keyId } = record;
  return {
    requestId: record.requestId,
    atMs: record.atMs,
    times: record.times,
    keyId,
    keyPrefix: keyId === null ? null : (names.prefixes.get(keyId) ?? null),
    ...placeOf(record.accounts, names),
    route: record.route,
    dialect: record.dialect,
    model: record.model,
    modelAsked: record.modelAsked,
    provider: record.provider,
    status: record.status,
    code: record.code,
    streamed: record.streamed,
    replay: record.replay,
    tookMs: Math.round(steps.closed / 1_000),
    firstByteMs: steps.first_byte === null ? null : Math.round(steps.first_byte / 1_000),
    inputTokens: record.inputTokens,
    cachedTokens: record.cachedTokens,
    outputTokens: record.outputTokens,
    charged: record.charged,
    agent: record.agent,
    refusal: record.refusal,
  };
}
