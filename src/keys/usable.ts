import { Fault } from "../core/fault.ts";
import { invalidKey, invalidSession } from "./authenticate.ts";
import { KEY_STATUSES, type Key, type KeyStatus } from "./key.ts";

export type KeyState = Key["status"] | "expired";

/** What a key may be used for, as far as its own status and the accounts above it say: the worst of them. */
export const statusOf = ({ status, accountStatus }: Pick<Key, "status" | "accountStatus">): KeyStatus =>
  KEY_STATUSES.indexOf(status) > KEY_STATUSES.indexOf(accountStatus) ? status : accountStatus;

export function stateOf(key: Key, nowMs: number): KeyState {
  const status = statusOf(key);
  if (status !== "active") return status;
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? "expired" : "active";
}

/** Refuses a key that may not be used now. Some routes list no 403; there every unusable key is 401. [interface decision 2] */
export function requireUsable(key: Key, nowMs: number, refusals: "full" | "unauthorised_only"): void {
  if (key.secretExpiresAtMs !== null && key.secretExpiresAtMs <= nowMs) throw invalid(key);
  const state = stateOf(key, nowMs);
  switch (state) {
    case "active":
      return;
    case "suspended":
    case "revoked":
      throw invalid(key);
    case "expired":
      if (refusals === "unauthorised_only") throw invalid(key);
      throw expired(key.expiresAtMs ?? 0);
    case "disabled":
      if (refusals === "unauthorised_only") throw invalid(key);
      throw new Fault("key_disabled", `${whatIs(key, state)} is disabled. Ask the operator to enable it.`);
    default:
      state satisfies never;
  }
}

const invalid = ({ personId }: Key): Fault => (personId === null ? invalidKey() : invalidSession());

function whatIs({ status, personId }: Key, state: KeyState): string {
  const what = personId === null ? "API key" : "session";
  return status === state ? `This ${what}` : `The account of this ${what}`;
}

function expired(atMs: number): Fault {
  const at = new Date(atMs).toISOString();
  return new Fault("key_expired", `This API key expired on ${at}. Ask the operator to extend it, or use another key.`);
}
