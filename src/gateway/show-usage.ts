import { formatCredits, parseCredits } from "../core/money.ts";
import { invalidKey } from "../keys/authenticate.ts";
import type { Key } from "../keys/key.ts";
import type { Ledger, UsageSummary } from "../ledger/ledger.ts";
import type { UsageSummaryBody } from "../wire/usage/usage-summary.ts";
import { ledgerAway } from "./ask-ledger.ts";
import { createSharedRead } from "./shared-read.ts";

export type ShownUsage = { body: UsageSummaryBody; headers: Record<string, string> };

/** What a key has, has reserved and has used, as of the last finished response. [interface decision 22] */
export type ShowUsage = (key: Key) => Promise<ShownUsage>;

type Parts = { ledger: Pick<Ledger, "usage">; creditUsd: string; random: () => number };

export const createShowUsage = ({ ledger, creditUsd, random }: Parts): ShowUsage => {
  const usdNano = parseCredits(creditUsd) ?? NANO;
  // A caller that asks a thousand times at once would otherwise keep the database from everybody else.
  const readUsage = createSharedRead((keyId: string) => ledger.usage(keyId));
  return async (key) => {
    const totals = await readUsage(key.id).catch((cause: unknown) => {
      throw ledgerAway(random, cause);
    });
    if (totals === null) throw invalidKey();
    const credit = key.mode === "credit";
    return {
      body: {
        object: "usage.summary",
        key: {
          prefix: key.prefix,
          label: key.label,
          status: key.status,
          mode: key.mode,
          provider_scope: key.providerScope,
          rpm_limit: key.rpmLimit,
        },
        credits: credit ? credits(totals, usdNano) : NO_CREDITS,
        tokens: tokens(totals),
        requests: { total: Number(totals.requests) },
        explanation: credit ? CREDIT_EXPLAINED : budgetExplained(totals),
      },
      headers: credit
        ? { "x-service-credit-remaining": formatCredits(totals.posted - totals.held) }
        : { "x-ratelimit-remaining-tokens": String(remainingTokens(totals)) },
    };
  };
};

const NANO = 1_000_000_000n;

function credits(totals: UsageSummary, usdNano: bigint): UsageSummaryBody["credits"] {
  const remaining = totals.posted - totals.held;
  return {
    total_purchased: asNumber(totals.purchased),
    balance: asNumber(totals.posted),
    reserved: asNumber(totals.held),
    used: asNumber(totals.used),
    remaining: asNumber(remaining),
    remaining_usd: asNumber((remaining * usdNano) / NANO),
    last_request_cost: asNumber(totals.lastCost),
    today_spend: asNumber(totals.todaySpend),
    lifetime_spend: asNumber(totals.used),
  };
}

const NO_CREDITS: UsageSummaryBody["credits"] = {
  total_purchased: 0,
  balance: 0,
  reserved: 0,
  used: 0,
  remaining: 0,
  remaining_usd: 0,
  last_request_cost: 0,
  today_spend: 0,
  lifetime_spend: 0,
};

function tokens(totals: UsageSummary): UsageSummaryBody["tokens"] {
  const { unit, budget, used, held, inputTokens, outputTokens } = totals;
  const total = Number(inputTokens + outputTokens);
  const lifetime = { input: Number(inputTokens), output: Number(outputTokens), total };
  if (unit === "credit") return { budget: null, used: total, reserved: 0, remaining: null, ...lifetime };
  return {
    budget: Number(budget),
    used: Number(used),
    reserved: Number(held),
    remaining: remainingTokens(totals),
    ...lifetime,
  };
}

const remainingTokens = ({ posted, held }: UsageSummary): number => Math.max(0, Number(posted - held));

/** Amounts are whole nano-credits; the nearest number to the exact decimal is the best that JSON's readers can hold. */
const asNumber = (nano: bigint): number => Number(formatCredits(nano));

const CREDIT_EXPLAINED =
  "Amounts are in credits. balance is what the key has; reserved is set aside for requests in progress; remaining is balance minus reserved; used is the total cost of all requests.";

function budgetExplained({ periodEndsAtMs }: UsageSummary): string {
  const renews =
    periodEndsAtMs === null ? "It does not renew." : `It renews at ${new Date(periodEndsAtMs).toISOString()}.`;
  return `This key has one token budget for input and output. used counts the current period; total counts the key's lifetime. ${renews}`;
}
