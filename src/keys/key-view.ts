import { type BudgetPeriod, DEFAULT_PERIOD } from "../core/budget-period.ts";
import { Fault } from "../core/fault.ts";
import type { KeyMode } from "../core/key-mode.ts";
import { readCredits } from "../core/read-credits.ts";
import type { KeyOrder, OpeningFunds } from "./issue-key.ts";
import type { Key, KeyChanges, KeySecret } from "./key.ts";
import { type KeyState, stateOf } from "./usable.ts";

/** A key as operators see it, on the admin API and in the terminal. Its secret is not among what we know. */
export type KeyView = {
  id: string;
  prefix: string;
  mode: KeyMode;
  status: KeyState;
  label: string | null;
  provider_scope: string;
  models: readonly string[] | null;
  rpm_limit: number | null;
  expires_at: string | null;
  created_at: string;
};

export type SecretView = {
  prefix: string;
  status: "active" | "expired" | "withdrawn";
  created_at: string;
  expires_at: string | null;
};

/** What an operator asks of a new key. Credit is a decimal, so that no amount passes through a double. */
export type KeyRequest = Pick<KeyView, "mode" | "label" | "provider_scope" | "models" | "rpm_limit" | "expires_at"> & {
  credit: string | null;
  budget: number | null;
  period: BudgetPeriod | null;
};

/** What an operator changes of a key. */
export type KeyChangeRequest = Partial<Pick<KeyView, "label" | "rpm_limit" | "expires_at">>;

export function keyView(key: Key, nowMs: number): KeyView {
  return {
    id: key.id,
    prefix: key.prefix,
    mode: key.mode,
    status: stateOf(key, nowMs),
    label: key.label,
    provider_scope: key.providerScope,
    models: key.models,
    rpm_limit: key.rpmLimit,
    expires_at: dateOf(key.expiresAtMs),
    created_at: new Date(key.createdAtMs).toISOString(),
  };
}

export function secretView({ prefix, createdAtMs, expiresAtMs, withdrawnAtMs }: KeySecret, nowMs: number): SecretView {
  const over = expiresAtMs !== null && expiresAtMs <= nowMs;
  return {
    prefix,
    status: withdrawnAtMs !== null ? "withdrawn" : over ? "expired" : "active",
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: dateOf(expiresAtMs),
  };
}

export function keyOrder(request: KeyRequest): KeyOrder {
  return {
    mode: request.mode,
    label: request.label,
    providerScope: request.provider_scope,
    models: request.models,
    rpmLimit: request.rpm_limit,
    expiresAtMs: request.expires_at === null ? null : Date.parse(request.expires_at),
    funds: openingFunds(request),
  };
}

export function keyChanges({ label, rpm_limit, expires_at }: KeyChangeRequest): KeyChanges {
  return {
    ...(label === undefined ? {} : { label }),
    ...(rpm_limit === undefined ? {} : { rpmLimit: rpm_limit }),
    ...(expires_at === undefined ? {} : { expiresAtMs: expires_at === null ? null : Date.parse(expires_at) }),
  };
}

function openingFunds({ mode, credit, budget, period }: KeyRequest): OpeningFunds | null {
  if (mode === "credit") {
    if (budget !== null) throw refused("budget", "A credit key has no token budget; give it credit instead.");
    if (period !== null) throw refused("period", "A credit key has no budget and so no period.");
    const amount = credit === null ? 0n : readCredits(credit, "credit");
    if (amount < 0n) throw refused("credit", "A key cannot start with a debt.");
    return amount === 0n ? null : { kind: "credit", amount };
  }
  if (credit !== null) throw refused("credit", "A token-budget key has no credit; give it a budget instead.");
  if (budget === null && period !== null) throw refused("period", "A period needs a budget that it is the period of.");
  return budget === null ? null : { kind: "budget", tokens: BigInt(budget), period: period ?? DEFAULT_PERIOD };
}

const refused = (param: string, message: string): Fault => new Fault("invalid_request", message, { param });

const dateOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
