import { parseCredits } from "../../core/money.ts";
import type { Key } from "../../keys/key.ts";
import type { ClientUsageBody } from "../../wire/client/client-usage.ts";
import type { ShowUsage } from "../show-usage.ts";
import { renewingLimits, type UsedLimit } from "./fullest-limit.ts";

/** What Claude Code shows for `/usage`. */
export type ShowClientUsage = (key: Key) => Promise<ClientUsageBody>;

const NANO = 1_000_000_000n;
const GROUPS: Record<UsedLimit["period"], "daily" | "weekly" | "monthly"> = {
  day: "daily",
  week: "weekly",
  month: "monthly",
};

export const createShowClientUsage = ({
  showUsage,
  creditUsd,
}: {
  showUsage: ShowUsage;
  creditUsd: string;
}): ShowClientUsage => {
  const usdNano = parseCredits(creditUsd) ?? NANO;
  const cents = (credits: bigint): number => Number((credits * usdNano * 100n) / (NANO * NANO));
  const percent = ({ share }: UsedLimit): number => Math.round(share * 100);
  return async (key) => {
    const limits = renewingLimits((await showUsage(key)).shown);
    const monthly = limits.find(({ period }) => period === "month");
    return {
      extra_usage: {
        is_enabled: limits.length > 0,
        monthly_limit: monthly === undefined ? null : cents(monthly.amount),
        used_credits: monthly === undefined ? null : cents(monthly.used),
        utilization: monthly === undefined ? null : percent(monthly),
        currency: "USD",
      },
      limits: limits.map((limit, at) => ({
        kind: "spend",
        group: GROUPS[limit.period],
        percent: percent(limit),
        resets_at: new Date(limit.renewsAtMs).toISOString(),
        severity: "normal",
        is_active: at === 0,
      })),
    };
  };
};
