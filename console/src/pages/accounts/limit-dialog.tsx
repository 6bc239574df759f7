import type { ReactNode } from "react";
import type { Counter } from "../../api/generated/admin.ts";
import { PERIODS } from "../../format/counted.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { nameOf } from "./counter-list.tsx";

export type Holder = { kind: "account" | "key"; id: string; name: string };
type Period = keyof typeof PERIODS;

const PERIOD_OPTIONS = (["day", "week", "month", "none"] as const).map((value) => ({ value, name: PERIODS[value] }));
const UNIT_OPTIONS = [
  { value: "credit", name: "credits" },
  { value: "tokens", name: "tokens" },
];

/** A new limit, or another amount for one that is there. */
export const LimitDialog = ({
  of,
  counter,
  onClose,
}: {
  of: Holder;
  counter: Counter | null;
  onClose: () => void;
}): ReactNode => (
  <FormDialog
    title={counter === null ? `Limit ${of.name}` : `Change the limit of ${of.name}`}
    lead={
      of.kind === "account"
        ? "It holds for the account and all below it, from the next request on."
        : "It holds from the next request on."
    }
    verb="Set the limit"
    done="The limit is set"
    fields={["amount", "models"]}
    onClose={onClose}
    act={(change, given) => {
      const body = {
        amount: given("amount"),
        unit: counter?.unit ?? (given("unit") as Counter["unit"]),
        period: counter?.period ?? (given("period") as Period),
        models: counter === null ? listOf(given("models")) : counter.models,
      };
      return of.kind === "account"
        ? change("POST /admin/v1/accounts/{account}/limits", { params: { account: of.id }, body })
        : change("POST /admin/v1/keys/{key}/limits", { params: { key: of.id }, body });
    }}
  >
    {(problemOf) => (
      <>
        <Field
          label="Amount"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          autoFocus
          defaultValue={counter?.amount}
          problem={problemOf("amount")}
          hint={counter === null ? "0 stops all requests." : `Now: ${nameOf(counter)}.`}
        />
        {counter === null && <ScopeFields problem={problemOf("models")} />}
      </>
    )}
  </FormDialog>
);

/** What a limit counts: it stays as it was made. */
const ScopeFields = ({ problem }: { problem: string | null }): ReactNode => (
  <>
    <div className="grid grid-cols-2 gap-3">
      <SelectField label="Unit" name="unit" options={UNIT_OPTIONS} />
      <SelectField label="Renews (UTC)" name="period" options={PERIOD_OPTIONS} defaultValue="month" />
    </div>
    <Field
      label="Models"
      name="models"
      autoComplete="off"
      placeholder="all models"
      problem={problem}
      hint="Names with commas between them; * stands for any characters."
    />
  </>
);

/** `a, b*` → ["a", "b*"]; nothing → null. */
export function listOf(text: string): string[] | null {
  const names = text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter(Boolean);
  return names.length === 0 ? null : names;
}

export const RemoveLimitDialog = ({
  of,
  counter,
  onClose,
}: {
  of: Holder;
  counter: Counter;
  onClose: () => void;
}): ReactNode => (
  <FormDialog
    title={`Remove the limit of ${of.name}?`}
    lead={`The ${nameOf(counter)} ends at once. Other limits and purses still hold.`}
    verb="Remove the limit"
    danger
    done="The limit is removed"
    onClose={onClose}
    act={(change) => {
      const body = { unit: counter.unit, period: counter.period, models: counter.models };
      return of.kind === "account"
        ? change("POST /admin/v1/accounts/{account}/limits/remove", { params: { account: of.id }, body })
        : change("POST /admin/v1/keys/{key}/limits/remove", { params: { key: of.id }, body });
    }}
  >
    {() => null}
  </FormDialog>
);
