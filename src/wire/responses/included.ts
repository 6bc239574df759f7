import { valueAt } from "../json/value-at.ts";
import type { Members } from "../json/members.ts";

/** Thoughts come back encrypted only when asked for by this name; a model that has none refuses to be asked. */
export const ENCRYPTED_THOUGHTS = "reasoning.encrypted_content";

/** What a request asks to be answered besides. */
export function includedIn(request: { bytes: Buffer; members: Members }): readonly unknown[] {
  const included = valueAt(request, "include");
  return Array.isArray(included) ? included : [];
}
