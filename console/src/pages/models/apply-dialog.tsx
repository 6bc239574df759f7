import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { Compared } from "./price-list-diff.tsx";

/** What was compared, and is asked for again when it is applied. */
export type Order = {
  provider: string;
  list: string;
  vendor: string;
  match: string;
  markup: string;
  free: boolean;
  dearest: boolean;
};

const PUBLISHED = [
  { value: "no", name: "unpublished, to be looked at first" },
  { value: "yes", name: "published at once" },
];

type Props = { of: { order: Order; compared: Compared }; onClose: () => void; onApplied: () => void };

/** The last question before a price list is written. */
export function ApplyDialog({ of: { order, compared }, onClose, onApplied }: Props): ReactNode {
  const count = (wanted: "new" | "changed"): number => compared.data.filter(({ change }) => change === wanted).length;
  const [added, changed] = [count("new"), count("changed")];
  return (
    <FormDialog
      title={`Apply ${groupDigits(added + changed)} ${added + changed === 1 ? "change" : "changes"}?`}
      lead={`${groupDigits(added)} new ${added === 1 ? "model" : "models"}, ${groupDigits(changed)} changed. New prices hold at once; requests in progress keep theirs.`}
      verb="Apply"
      done="The changes are written"
      onClose={onClose}
      act={async (change, given) => {
        await change("POST /admin/v1/models/import/litellm", {
          body: { ...order, published: given("published") === "yes", apply: true },
        });
        onApplied();
      }}
    >
      {() => <SelectField label="New models are" name="published" options={PUBLISHED} />}
    </FormDialog>
  );
}
