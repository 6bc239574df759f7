import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { Compared } from "./compared.ts";

/** What was compared, and is asked for again when it is applied. */
export type Order = {
  provider: string;
  /** Null: the list that ships with Tollgate. */
  list: string | null;
  accept_old_list: boolean;
  /** The list that the settings name. */
  checked_list: boolean;
  vendor: string | null;
  match: string;
  markup: string;
  free: boolean;
  dearest: boolean;
};

const PUBLISHED = [
  { value: "no", name: "unpublished, to be looked at first" },
  { value: "yes", name: "published at once" },
];

type Props = {
  of: { order: Order; compared: Compared };
  ids: readonly string[];
  onClose: () => void;
  onApplied: () => void;
};

/** The last question before the ticked rows of a price list are written. */
export function ApplyDialog({ of: { order, compared }, ids, onClose, onApplied }: Props): ReactNode {
  const chosen = new Set(ids);
  const count = (wanted: "new" | "changed"): number =>
    compared.data.filter(({ id, change }) => change === wanted && chosen.has(id)).length;
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
          body: { ...order, ids: [...ids], published: given("published") === "yes", apply: true },
        });
        onApplied();
      }}
    >
      {() => <SelectField label="New models are" name="published" options={PUBLISHED} />}
    </FormDialog>
  );
}
