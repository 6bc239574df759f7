import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { Skeleton } from "../../parts/state.tsx";
import { BUDGET_PERIODS } from "./budget-dialog.tsx";
import { entitledTo, Entitlements } from "./entitlements.tsx";
import type { Draft } from "./key-draft.ts";
import { AccountField } from "../accounts/account-field.tsx";
import type { Paid } from "../accounts/find-payer.ts";
import { listOf } from "../accounts/limit-dialog.tsx";

type Props = {
  draft: Draft;
  /** The account, once it is read. */
  paid: Pick<UseQueryResult<Paid>, "data" | "isLoading" | "error">;
  models: readonly Model[];
  problemOf: (field: string) => string | null;
};

const MODES = [
  {
    value: "credit",
    name: "Prepaid credit",
    hint: "Each request costs its price, until the credit is used up. Base URL: /v1",
  },
  {
    value: "token_budget",
    name: "Token budget",
    hint: "So many tokens per day, week or month, whatever they cost. Base URL: /token/v1",
  },
];

export const ForStep = ({ draft, paid, problemOf }: Props): ReactNode => (
  <>
    <Field
      label="Label"
      name="label"
      autoFocus
      defaultValue={draft.label}
      maxLength={200}
      placeholder="Anna's laptop"
      problem={problemOf("label")}
      hint="Who or what uses it, so that you find it again."
    />
    {paid.isLoading ? (
      <Skeleton height={72} />
    ) : (
      <AccountField
        label="Account"
        name="account"
        none="none: the key stands alone"
        usual={paid.data?.account ?? null}
        problem={problemOf("account") ?? paid.error?.message ?? null}
        hint="Limits of the account and of those above it hold for the key, too."
      />
    )}
    <fieldset>
      <legend className="mb-1 font-medium">How does it pay?</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {MODES.map(({ value, name, hint }) => (
          <label
            key={value}
            className="flex cursor-pointer gap-2 rounded-md border border-edge p-3 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="mode"
              value={value}
              defaultChecked={draft.mode === value}
              className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="font-medium">
              {name}
              <span className="block text-small font-normal text-ink-2">{hint}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  </>
);

export function MoneyStep({ draft, paid, problemOf }: Props): ReactNode {
  if (draft.mode === "credit" && paid.isLoading) return <Skeleton height={80} />;
  const payer = paid.data?.payer ?? null;
  if (draft.mode === "credit" && payer !== null)
    return (
      <p className="text-ink-2">
        <span className="font-medium text-ink">{payer.path}</span> pays for this key, out of its own credit. To bound
        what the key may take of it, give it a limit when it is made.
      </p>
    );
  if (draft.mode === "credit")
    return (
      <Field
        label="Credits to begin with"
        name="credit"
        inputMode="decimal"
        autoComplete="off"
        autoFocus
        defaultValue={draft.credit}
        placeholder="0"
        problem={problemOf("credit")}
        hint="Up to nine decimals. Empty: it has none, and its requests get 402 until you top it up."
      />
    );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field
        label="Tokens"
        name="budget"
        type="number"
        min={0}
        autoFocus
        required
        defaultValue={draft.budget}
        placeholder="1000000"
        problem={problemOf("budget")}
        hint="Input and output together."
      />
      <SelectField
        label="Renews (UTC)"
        name="period"
        options={BUDGET_PERIODS}
        defaultValue={draft.period}
        problem={problemOf("period")}
      />
    </div>
  );
}

export const UseStep = ({ draft, models, problemOf }: Props): ReactNode => (
  <Entitlements
    models={models}
    problemOf={problemOf}
    usual={{
      models: entitledTo(draft.models),
      tiers: entitledTo(draft.tiers),
      regions: listOf(draft.regions),
      provider_scope: draft.provider_scope,
      rpm_limit: draft.rpm_limit === "" ? null : Number(draft.rpm_limit),
      expires_at: draft.expires_at || null,
    }}
  />
);
