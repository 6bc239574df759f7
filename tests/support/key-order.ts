import type { NewKeyOrder } from "../../src/operator/keys/keys.ts";

/** A key that asks for nothing in particular. */
export const KEY_ORDER: NewKeyOrder = {
  mode: "credit",
  label: null,
  providerScope: "all",
  models: null,
  tiers: null,
  regions: null,
  rpmLimit: null,
  expiresAtMs: null,
  credit: null,
  budget: null,
  period: null,
  existing: null,
};
