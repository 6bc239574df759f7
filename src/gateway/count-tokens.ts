import type { Catalogue } from "../catalogue/catalogue.ts";
import { unitOf } from "../core/money/amount.ts";
import { memberPolicyOf } from "../core/request/member-policy.ts";
import type { Key } from "../keys/key.ts";
import type { LedgerReads } from "../ledger/ledger.ts";
import type { CountAtProvider } from "../upstream/count-at-provider.ts";
import type { CountTokensRequest } from "../wire/messages/count-request.ts";
import { hasFunds } from "./binding.ts";
import { type CountRequest, countRefusal } from "./count-request.ts";
import type { Caller } from "./open-request.ts";
import type { Paperwork } from "./paperwork.ts";

type Count = {
  /** Made before the first call that uses it. */
  id: string;
  caller: Caller;
  /** Reads the request from its body, or refuses it. */
  read: () => Promise<CountTokensRequest>;
};

/** How many tokens an input has, and whose word that is. */
export type CountTokens = (count: Count) => Promise<{ tokens: number; by: "provider" | "estimate" }>;

type Parts = {
  catalogue: Catalogue;
  countRequest: CountRequest;
  countAtProvider: CountAtProvider;
  ledger: Pick<LedgerReads, "usage">;
  paperwork: Pick<Paperwork, "countInput" | "writeCountRequest">;
};

/**
 * Counts for free, within the key's rate. A provider that speaks the caller's format is asked, for it alone knows; where none
 * does, or none is well or answers, the input is counted by a vocabulary close to most. A key that has nothing left has that count
 * too: nobody uses up a provider's limits without paying. So this never fails for a provider's sake, nor for want of money.
 * [spec 4.6]
 */
export const createCountTokens =
  ({ catalogue, countRequest, countAtProvider, ledger, paperwork }: Parts): CountTokens =>
  async ({ id, caller, read }) => {
    const count = (): Promise<Caller> => countRequest(caller, id);
    const readable = async () => {
      const asked = await read();
      return { request: asked, model: catalogue.resolve(asked.model, caller.key) };
    };
    const { request, model: found } = await readable().catch((error: unknown) => countRefusal(error, count));
    const now = await count();
    // Where it may be counted is what is said now, not a moment ago.
    const model = now.key === caller.key ? found : catalogue.resolve(request.model, now.key);

    const counting = model.routes.filter(({ dialect }) => dialect === "messages");
    const counted = await countAtProvider({
      routes: counting.length > 0 && (await hasMoney(now.key, ledger)) ? counting : [],
      bodyFor: (route, { messages: { cloud } }) =>
        paperwork.writeCountRequest(request, {
          upstreamModel: route.upstreamModel,
          members: memberPolicyOf(route),
          cloud,
        }),
      headers: request.forwardedHeaders,
    });
    if (counted !== null) return { tokens: counted, by: "provider" };
    const tokens = await paperwork.countInput({ ...request, dialect: "messages" });
    return { tokens: Math.ceil(tokens * model.tokenFactor), by: "estimate" };
  };

/** Throws never: a ledger that cannot say is as one that says no. */
async function hasMoney({ id, bucket, mode }: Key, ledger: Pick<LedgerReads, "usage">): Promise<boolean> {
  const summary = await ledger.usage(id, bucket).catch(() => null);
  return summary !== null && hasFunds(summary.counters, unitOf(mode));
}
