export const ACCOUNT_CHANGES = ["suspend", "resume", "disable", "enable"] as const;

/** What an operator does to the state of an account and all below it. Closing is for good, and another matter. */
export type AccountChange = (typeof ACCOUNT_CHANGES)[number];
