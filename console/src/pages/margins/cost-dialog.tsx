import { type ReactNode, useState } from "react";
import type { Tariff } from "../../api/generated/admin.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { draftOf, readPrice } from "../models/price-draft.ts";
import { PriceFields } from "../models/price-fields.tsx";
import { PRICE_PARTS } from "../models/price-parts.ts";

/** Whose cost it is, and what it was before; null: none was given. */
export type CostOf = { provider: string; upstreamModel: string; cost: Tariff | null };

/** What a provider charges, from a day on. The gateway charges nothing by it. */
export function CostDialog({ of, onClose }: { of: CostOf; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(() => draftOf(of.cost));
  const [day, setDay] = useState("");
  const read = readPrice(draft);
  // What is still empty is not wrong yet.
  const wrong = "field" in read && draft[read.field].trim() !== "" ? read : null;
  return (
    <FormDialog
      title={`What ${of.provider} charges you for ${of.upstreamModel}`}
      lead="In dollars per million tokens. Margins are compared with it; nothing is charged by it."
      verb="Give this cost"
      done="The cost is given"
      fields={["effective_from", ...PRICE_PARTS.map(({ part }) => `cost.${part}`), "cost.tools", "cost.when"]}
      disabled={!("price" in read)}
      onClose={onClose}
      act={(change) =>
        change("POST /admin/v1/costs", {
          body: {
            provider: of.provider,
            upstream_model: of.upstreamModel,
            effective_from: day === "" ? null : `${day}T00:00:00Z`,
            cost: "price" in read ? read.price : null,
          },
        })
      }
    >
      {(problemOf) => (
        <>
          <PriceFields
            draft={draft}
            onDraft={setDraft}
            problemOf={(field) => (wrong?.field === field ? wrong.problem : problemOf(`cost.${field}`))}
          />
          <Field
            label="From this day on (UTC)"
            name="day"
            type="date"
            value={day}
            onChange={({ target }) => setDay(target.value)}
            hint="Empty: from now on. A day in the past covers what was charged since."
            problem={problemOf("effective_from")}
          />
        </>
      )}
    </FormDialog>
  );
}
