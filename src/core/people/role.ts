/** What a person may be, everywhere or in the subtree of an account. */
export const ROLES = ["owner", "operator", "billing", "viewer", "auditor"] as const;

export type Role = (typeof ROLES)[number];
