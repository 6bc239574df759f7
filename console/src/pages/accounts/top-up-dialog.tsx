import { type ReactNode, useState } from "react";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { Holder } from "./limit-dialog.tsx";

type Kind = "purchase" | "grant" | "adjust";

const KINDS = [
  { value: "purchase", name: "Purchase: it was paid for" },
  { value: "grant", name: "Grant: a gift" },
  { value: "adjust", name: "Adjustment: a correction, also downwards" },
];

/** Credit for a purse. The reference is kept in the ledger and can be booked only once, so a repeat changes nothing. */
export function TopUpDialog({ of, onClose }: { of: Holder; onClose: () => void }): ReactNode {
  const [kind, setKind] = useState<Kind>("purchase");
  const [usual] = useState(() => `console-${crypto.randomUUID().slice(0, 8)}`);
  const isAdjustment = kind === "adjust";
  return (
    <FormDialog
      title={`Top up ${of.name}`}
      lead="The entry is final. A wrong one is corrected by another, an adjustment."
      verb={isAdjustment ? "Book the adjustment" : "Book the top-up"}
      done="Booked"
      fields={["amount", "reference"]}
      onClose={onClose}
      act={(change, given) => {
        const body = { amount: given("amount"), kind, reference: given("reference") };
        return of.kind === "account"
          ? change("POST /admin/v1/accounts/{account}/topups", { params: { account: of.id }, body })
          : change("POST /admin/v1/keys/{key}/topups", { params: { key: of.id }, body });
      }}
    >
      {(problemOf) => (
        <>
          <Field
            label="Credits"
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            required
            autoFocus
            problem={problemOf("amount")}
            hint={isAdjustment ? "Below zero takes credit away: -5" : undefined}
          />
          <SelectField
            label="Why"
            name="kind"
            options={KINDS}
            value={kind}
            onChange={({ target }) => setKind(target.value as Kind)}
          />
          <Field
            key={String(isAdjustment)}
            label={isAdjustment ? "Reason" : "Reference"}
            name="reference"
            autoComplete="off"
            required
            defaultValue={isAdjustment ? "" : usual}
            problem={problemOf("reference")}
            hint="In the ledger for good, and booked only once: an invoice number, a ticket."
          />
        </>
      )}
    </FormDialog>
  );
}
