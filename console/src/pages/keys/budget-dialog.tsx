import { type ReactNode, useState } from "react";
import type { Key, KeyFunds } from "../../api/generated/admin.ts";
import { PERIODS } from "../../format/counted.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";

export const BUDGET_PERIODS = (["day", "week", "month", "none"] as const).map((value) => ({
  value,
  name: PERIODS[value],
}));

type Props = { of: Key; funds: KeyFunds; onClose: () => void };

export function BudgetDialog({ of: key, funds, onClose }: Props): ReactNode {
  const [reference] = useState(() => `console-${crypto.randomUUID().slice(0, 8)}`);
  return (
    <FormDialog
      title={`Set the budget of ${key.label ?? `${key.prefix}…`}`}
      lead="What was charged in this period still counts."
      verb="Set the budget"
      done="The budget is set"
      fields={["budget", "period"]}
      onClose={onClose}
      act={(change, given) =>
        change("POST /admin/v1/keys/{key}/budget", {
          params: { key: key.id },
          body: {
            budget: Number(given("budget")),
            period: given("period") as NonNullable<KeyFunds["period"]>,
            reference,
          },
        })
      }
    >
      {(problemOf) => (
        <>
          <Field
            label="Tokens"
            name="budget"
            type="number"
            min={0}
            required
            autoFocus
            defaultValue={funds.budget ?? ""}
            problem={problemOf("budget")}
          />
          <SelectField
            label="Renews (UTC)"
            name="period"
            options={BUDGET_PERIODS}
            defaultValue={funds.period ?? "month"}
            problem={problemOf("period")}
          />
        </>
      )}
    </FormDialog>
  );
}
