import { type ReactNode, useState } from "react";
import type { Model, Tariff } from "../../api/generated/admin.ts";
import { exactCredits } from "../../format/money.ts";
import { utcMoment } from "../../format/time.ts";
import { Delta } from "../../parts/delta.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { changeFrom, draftOf, priceAt, readPrice } from "./price-draft.ts";
import { PriceFields } from "./price-fields.tsx";
import { costOf, PRICE_PARTS } from "./price-parts.ts";
import { PriceTable } from "./price-table.tsx";

const EXAMPLE = { input: 10_000n, output: 1_000n };
const WHENS = [
  { value: "now", name: "at once" },
  { value: "later", name: "from a date on" },
];

/** A new version of the price, shown beside the one that it follows before it is booked. */
export function PriceDialog({ of: model, onClose }: { of: Model; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(() => draftOf(model.price));
  const [when, setWhen] = useState("now");
  const [date, setDate] = useState("");
  const [openedMs] = useState(Date.now);
  const fromMs = when === "now" ? openedMs : Date.parse(date);
  const before = Number.isNaN(fromMs) ? model.price : priceAt(model.price, model.upcoming_prices, fromMs);
  const read = readPrice(draft);
  const difference = "price" in read ? changeFrom(before, read.price) : null;
  return (
    <FormDialog
      title={`Change the price of ${model.id}`}
      lead="In credits per million tokens. Requests keep the price of the moment at which they began."
      verb={when === "now" ? "Change the price" : "Schedule the price"}
      done={when === "now" ? "The price is changed" : "The price is scheduled"}
      fields={["effective_from", "tools", "when", ...PRICE_PARTS.map(({ part }) => part)]}
      disabled={difference === null || Number.isNaN(fromMs)}
      onClose={onClose}
      act={(change) =>
        change("POST /admin/v1/models/{model}/prices", {
          params: { model: model.id },
          body: { ...difference, effective_from: when === "now" ? null : new Date(fromMs).toISOString() },
        })
      }
    >
      {(problemOf) => (
        <>
          <PriceFields
            draft={draft}
            onDraft={setDraft}
            problemOf={(field) => ("field" in read && read.field === field ? read.problem : problemOf(field))}
          />
          <WhenFields when={when} onWhen={setWhen} date={date} onDate={setDate} problem={problemOf("effective_from")} />
          {"price" in read && <Preview before={before} after={read.price} />}
        </>
      )}
    </FormDialog>
  );
}

type WhenParts = {
  when: string;
  onWhen: (when: string) => void;
  date: string;
  onDate: (date: string) => void;
  problem: string | null;
};

const WhenFields = ({ when, onWhen, date, onDate, problem }: WhenParts): ReactNode => (
  <div className="grid grid-cols-2 gap-3">
    <SelectField
      label="It holds"
      name="when"
      options={WHENS}
      value={when}
      onChange={({ target }) => onWhen(target.value)}
    />
    {when === "later" && (
      <Field
        label="Date and time where you are"
        name="date"
        type="datetime-local"
        required
        value={date}
        onChange={({ target }) => onDate(target.value)}
        hint={Number.isNaN(Date.parse(date)) ? undefined : utcMoment(Date.parse(date))}
        problem={problem}
      />
    )}
  </div>
);

const Preview = ({ before, after }: { before: Tariff | null; after: Tariff }): ReactNode => (
  <section aria-label="Preview" className="rounded-md bg-sunken/60 p-3">
    <PriceTable before={before} after={after} />
    <p className="mt-2 border-t border-line pt-2 text-small text-ink-2">
      10,000 input and 1,000 output tokens cost{" "}
      {before !== null && <>{exactCredits(costOf(before, EXAMPLE))} credits now and </>}
      <b className="font-medium text-ink">{exactCredits(costOf(after, EXAMPLE))} credits</b> then{" "}
      {before !== null && <Delta now={costOf(after, EXAMPLE)} before={costOf(before, EXAMPLE)} />}
    </p>
  </section>
);
