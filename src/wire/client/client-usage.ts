/** The body of `GET /api/oauth/usage`: money in cents, shares in whole percents. */
export type ClientUsageBody = {
  extra_usage: {
    /** False: no limit of this person renews, so there is nothing to show. */
    is_enabled: boolean;
    monthly_limit: number | null;
    used_credits: number | null;
    utilization: number | null;
    currency: "USD";
  };
  limits: readonly {
    kind: "spend";
    group: "daily" | "weekly" | "monthly";
    percent: number;
    resets_at: string;
    severity: "normal";
    is_active: boolean;
  }[];
};
