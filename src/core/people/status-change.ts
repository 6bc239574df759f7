export const STATUS_CHANGES = ["suspend", "resume", "disable", "enable", "revoke"] as const;

/** What an operator does to the state of a key. */
export type StatusChange = (typeof STATUS_CHANGES)[number];
