import { parseCredits } from "../../core/money/money.ts";
import type { Key } from "../../keys/key.ts";
import type { ClientUsageBody } from "../../wire/client/client-usage.ts";
import { createSharedRead } from "../shared-read.ts";
import type { ShowUsage } from "../show-usage.ts";
import { renewingLimits, type UsedLimit } from "./fullest-limit.ts";

/** What Claude Code shows for `/usage`. */
export type ShowClientUsage = (key: Key) => Promise<ClientUsageBody>;

/** What the account of a session spent on each of the last days, oldest first, today included. */
export type SpentByDay = (key: Key, days: number) => Promise<readonly { day: string; credits: bigint }[]>;

const NANO = 1_000_000_000n;
/** As many as the longest month has. */
const DAYS = 31;
const WARNING = 0.75;
const CRITICAL = 0.95;
const GROUPS: Record<UsedLimit["period"], "daily" | "weekly" | "monthly"> = {
  day: "daily",
  week: "weekly",
  month: "monthly",
};

type Parts = { showUsage: ShowUsage; spentByDay: SpentByDay; creditUsd: string };

/** With limits that renew: how full each is. The client calls the fullest its monthly limit, whatever its period. Without: what was spent. */
export const createShowClientUsage = ({ showUsage, spentByDay, creditUsd }: Parts): ShowClientUsage => {
  const usdNano = parseCredits(creditUsd) ?? NANO;
  const cents = (credits: bigint): number => Number((credits * usdNano * 100n) / (NANO * NANO));
  const readSpent = createSharedRead((key: Key) => spentByDay(key, DAYS));
  return async (key) => {
    const limits = renewingLimits((await showUsage(key)).shown);
    const [fullest] = limits;
    if (fullest === undefined) return spendBody(await readSpent(key), cents);
    return {
      extra_usage: {
        is_enabled: true,
        monthly_limit: cents(fullest.amount),
        used_credits: cents(fullest.used),
        utilization: percentOf(fullest),
        currency: "USD",
      },
      limits: limits.map((limit) => ({
        kind: "spend",
        group: GROUPS[limit.period],
        percent: percentOf(limit),
        resets_at: new Date(limit.renewsAtMs).toISOString(),
        severity: limit.share > CRITICAL ? "critical" : limit.share > WARNING ? "warning" : "normal",
        is_active: limit === fullest,
      })),
    };
  };
};

/** A limit that has something left is not shown as used up. */
const percentOf = ({ share }: UsedLimit): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)));

function spendBody(days: Awaited<ReturnType<SpentByDay>>, cents: (credits: bigint) => number): ClientUsageBody {
  const today = days.at(-1)?.day ?? "";
  const since = (first: string) => {
    const spent = days.reduce((sum, { day, credits }) => (day >= first ? sum + credits : sum), 0n);
    return { limit: null, used_credits: cents(spent), utilization: null };
  };
  const { used_credits: thisMonth } = since(`${today.slice(0, 8)}01`);
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: null,
      used_credits: thisMonth,
      utilization: null,
      currency: "USD",
      daily: since(today),
      weekly: since(mondayOf(today)),
    },
    limits: [],
  };
}

/** Weeks begin on Monday, as those of limits do. [interface decision 23] */
function mondayOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  return at.toISOString().slice(0, 10);
}
