export const KEY_MODES = ["credit", "token_budget"] as const;

/** How a key pays, and so which origin it must use. */
export type KeyMode = (typeof KEY_MODES)[number];

/** The path prefix of each mode's origin. */
export const ORIGIN_PREFIX: Record<KeyMode, string> = { credit: "", token_budget: "/token" };
