import type { CreateKeyRequest } from "../../api/generated/admin.ts";
import { entitledTo } from "./entitlements.tsx";
import { endOfDay } from "./end-of-day.ts";
import { listOf } from "../accounts/limit-dialog.tsx";

/** A key that is being filled in: texts, as the fields have them. */
export type Draft = Record<
  | "mode"
  | "account"
  | "label"
  | "credit"
  | "budget"
  | "period"
  | "models"
  | "tiers"
  | "regions"
  | "provider_scope"
  | "rpm_limit"
  | "expires_at",
  string
>;

export const EMPTY_DRAFT: Draft = {
  mode: "credit",
  account: "",
  label: "",
  credit: "",
  budget: "",
  period: "month",
  models: "",
  tiers: "",
  regions: "",
  provider_scope: "all",
  rpm_limit: "",
  expires_at: "",
};

/** On which step a field stands. */
export const STEP_OF: Record<string, number> = {
  credit: 1,
  budget: 1,
  period: 1,
  models: 2,
  tiers: 2,
  regions: 2,
  provider_scope: 2,
  rpm_limit: 2,
  expires_at: 2,
};

/** The draft with what the fields on the page say now. */
export const readDraft = (draft: Draft, form: FormData): Draft => ({
  ...draft,
  ...Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()])),
});

export const requestOf = (draft: Draft): CreateKeyRequest => ({
  mode: draft.mode as CreateKeyRequest["mode"],
  account: draft.account || null,
  label: draft.label || null,
  models: entitledTo(draft.models),
  tiers: entitledTo(draft.tiers),
  regions: listOf(draft.regions),
  provider_scope: draft.provider_scope,
  rpm_limit: draft.rpm_limit === "" ? null : Number(draft.rpm_limit),
  expires_at: endOfDay(draft.expires_at),
  ...(draft.mode === "credit"
    ? { credit: draft.credit || null }
    : {
        budget: draft.budget === "" ? null : Number(draft.budget),
        period: draft.budget === "" ? null : (draft.period as NonNullable<CreateKeyRequest["period"]>),
      }),
});
