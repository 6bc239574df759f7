/** `account`: roots of the tree, each with all that is below it. */
export const MARGIN_GROUPS = ["model", "account", "day", "provider"] as const;
export type MarginGrouping = (typeof MARGIN_GROUPS)[number];
