/** `account`: those directly below the one asked for, or else the roots, each with all that is below it. */
export const USAGE_GROUPS = ["account", "key", "model", "label"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
