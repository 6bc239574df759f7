import { Fault } from "../core/fault.ts";
import { invalidKey } from "./authenticate.ts";
import type { Key } from "./key.ts";

export type KeyState = Key["status"] | "expired";

export function stateOf(key: Key, nowMs: number): KeyState {
  if (key.status !== "active") return key.status;
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? "expired" : "active";
}

/** Refuses a key that may not be used now. Some routes list no 403; there every unusable key is 401. [interface decision 2] */
export function requireUsable(key: Key, nowMs: number, refusals: "full" | "unauthorised_only"): void {
  if (key.secretExpiresAtMs !== null && key.secretExpiresAtMs <= nowMs) throw invalidKey();
  const state = stateOf(key, nowMs);
  switch (state) {
    case "active":
      return;
    case "suspended":
    case "revoked":
      throw invalidKey();
    case "expired":
      if (refusals === "unauthorised_only") throw invalidKey();
      throw expired(key.expiresAtMs ?? 0);
    case "disabled":
      if (refusals === "unauthorised_only") throw invalidKey();
      throw new Fault("key_disabled", "This API key is disabled. Ask the operator to enable it.");
    default:
      state satisfies never;
  }
}

function expired(atMs: number): Fault {
  const at = new Date(atMs).toISOString();
  return new Fault("key_expired", `This API key expired on ${at}. Ask the operator to extend it, or use another key.`);
}
