/** What was spent in a period that has no limit. */
export type UnlimitedSpend = { limit: null; used_credits: number; utilization: null };

/** The body of `GET /api/oauth/usage`: money in cents, shares in whole percents. */
export type ClientUsageBody = {
  extra_usage: {
    is_enabled: true;
    /** Of the fullest limit, whatever its period; null: no limit of this person renews. */
    monthly_limit: number | null;
    used_credits: number;
    utilization: number | null;
    currency: "USD";
    /** Where no limit renews: what was spent today and this week. */
    daily?: UnlimitedSpend;
    weekly?: UnlimitedSpend;
  };
  limits: readonly {
    kind: "spend";
    group: "daily" | "weekly" | "monthly";
    percent: number;
    resets_at: string;
    severity: "normal" | "warning" | "critical";
    is_active: boolean;
  }[];
};
