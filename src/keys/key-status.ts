import type { StatusChange } from "../core/people/status-change.ts";
import type { KeyStatus } from "./key.ts";

/** From where each change leads where. Whatever is not revoked can be; nothing leads out of that. [interface decision 2] */
export const TRANSITIONS: Record<StatusChange, { from: readonly KeyStatus[]; to: KeyStatus }> = {
  suspend: { from: ["active"], to: "suspended" },
  resume: { from: ["suspended"], to: "active" },
  disable: { from: ["active"], to: "disabled" },
  enable: { from: ["disabled"], to: "active" },
  revoke: { from: ["active", "suspended", "disabled"], to: "revoked" },
};

/** What an operator can do about a state that stands in the way. */
export const WAY_OUT: Record<KeyStatus, string> = {
  active: "It has just changed. Try again.",
  suspended: "Resume it first.",
  disabled: "Enable it first.",
  revoked: "This is final. Create a new key.",
};
