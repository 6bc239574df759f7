export const BUDGET_PERIODS = ["none", "day", "week", "month"] as const;

/** After which time a token budget begins anew, UTC; weeks begin on Monday. [interface decision 23] */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const DEFAULT_PERIOD: BudgetPeriod = "month";
