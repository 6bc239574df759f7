import { unitOf } from "../core/money/amount.ts";
import { formatCredits, parseCredits } from "../core/money/money.ts";
import { invalidKey } from "../keys/authenticate.ts";
import type { Key } from "../keys/key.ts";
import { statusOf } from "../keys/usable.ts";
import type { CounterSummary, LedgerReads, UsageSummary } from "../ledger/ledger.ts";
import type { UsageSummaryBody } from "../wire/usage/usage-summary.ts";
import { ledgerAway } from "./ask-ledger.ts";
import { bindingOf } from "./binding.ts";
import { createSharedRead } from "./shared-read.ts";
import { explainRegions, explainTiers, explainUsage } from "./usage-words.ts";

export type ShownUsage = {
  body: UsageSummaryBody;
  headers: Record<string, string>;
  /** The counters of its chain whose figures its holder may see. */
  shown: readonly CounterSummary[];
};

/** What a key has, has reserved and has used, as of the last finished response. [interface decision 22] */
export type ShowUsage = (key: Key) => Promise<ShownUsage>;

type Parts = {
  ledger: Pick<LedgerReads, "usage">;
  creditUsd: string;
  random: () => number;
  /** Off: key holders see the counters of their keys, signed-in people those of their account, and no figure above. */
  showAccounts: "on" | "off";
};

export const createShowUsage = ({ ledger, creditUsd, random, showAccounts }: Parts): ShowUsage => {
  const usdNano = parseCredits(creditUsd) ?? NANO;
  // A caller that asks a thousand times at once would otherwise keep the database from everybody else.
  const readUsage = createSharedRead(({ id, bucket }: Key) => ledger.usage(id, bucket));
  return async (key) => {
    const totals = await readUsage(key).catch((cause: unknown) => {
      throw ledgerAway(random, cause);
    });
    if (totals === null) throw invalidKey();
    const credit = key.mode === "credit";
    const shown = showAccounts === "on" ? totals.counters : totals.counters.filter((counter) => isOwn(counter, key));
    const binding = bindingOf(shown, unitOf(key.mode));
    return {
      body: {
        object: "usage.summary",
        key: {
          prefix: key.prefix,
          label: key.label,
          status: statusOf(key),
          mode: key.mode,
          provider_scope: key.providerScope,
          rpm_limit: key.rpmLimit,
        },
        credits: credit ? credits(totals, binding, usdNano) : { ...NO_CREDITS, ...spentOf(totals) },
        tokens: credit ? ofCreditKey(totals) : ofTokenKey(totals, binding),
        requests: { total: Number(totals.requests) },
        explanation: [
          explainUsage(key.mode, { shown, binding, hidden: totals.counters.length - shown.length }),
          ...explainTiers(key),
          ...explainRegions(key),
        ].join(" "),
      },
      headers: credit
        ? { "x-service-credit-remaining": formatCredits(remainingOf(binding)) }
        : { "x-ratelimit-remaining-tokens": String(remainingTokens(binding)) },
      shown,
    };
  };
};

/** Of the key itself; of a session also what its person's account has, which is theirs alone. */
const isOwn = ({ accountId }: CounterSummary, key: Key): boolean =>
  accountId === null || (key.personId !== null && accountId === key.accountId);

const NANO = 1_000_000_000n;

const remainingOf = (binding: CounterSummary | null): bigint => (binding === null ? 0n : binding.posted - binding.held);

/** What this key itself has cost, whoever paid. */
const spentOf = ({ spent }: UsageSummary) => ({ used: asNumber(spent), lifetime_spend: asNumber(spent) });

function credits(totals: UsageSummary, binding: CounterSummary | null, usdNano: bigint): UsageSummaryBody["credits"] {
  const remaining = remainingOf(binding);
  return {
    total_purchased: asNumber(binding === null ? 0n : paidIn(binding)),
    balance: asNumber(binding?.posted ?? 0n),
    reserved: asNumber(binding?.held ?? 0n),
    remaining: asNumber(remaining),
    remaining_usd: asNumber((remaining * usdNano) / NANO),
    last_request_cost: asNumber(totals.lastCost),
    today_spend: asNumber(totals.todaySpend),
    ...spentOf(totals),
  };
}

/** What was paid into a purse and given back to it, or what a limit has for its period. */
const paidIn = ({ kind, funded, refunded, amount }: CounterSummary): bigint =>
  kind === "purse" ? funded + refunded : amount;

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

const lifetimeOf = ({ inputTokens, outputTokens }: UsageSummary) => ({
  input: Number(inputTokens),
  output: Number(outputTokens),
  total: Number(inputTokens + outputTokens),
});

function ofCreditKey(totals: UsageSummary): UsageSummaryBody["tokens"] {
  const lifetime = lifetimeOf(totals);
  return { budget: null, used: lifetime.total, reserved: 0, remaining: null, ...lifetime };
}

const ofTokenKey = (totals: UsageSummary, binding: CounterSummary | null): UsageSummaryBody["tokens"] => ({
  budget: Number(binding === null ? 0n : paidIn(binding)),
  used: Number(binding === null ? 0n : binding.kind === "purse" ? binding.used : binding.used - binding.refunded),
  reserved: Number(binding?.held ?? 0n),
  remaining: remainingTokens(binding),
  ...lifetimeOf(totals),
});

const remainingTokens = (binding: CounterSummary | null): number => Math.max(0, Number(remainingOf(binding)));

/** Amounts are whole nano-credits; the nearest number to the exact decimal is the best that JSON's readers can hold. */
const asNumber = (nano: bigint): number => Number(formatCredits(nano));
