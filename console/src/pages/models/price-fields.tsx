import type { ReactNode } from "react";
import { Field, LinesField } from "../../parts/field.tsx";
import type { PriceDraft } from "./price-draft.ts";
import { PRICE_PARTS } from "./price-parts.ts";

type PriceParts = {
  draft: PriceDraft;
  onDraft: (draft: PriceDraft) => void;
  problemOf: (field: string) => string | null;
};

/** The parts of a price as they are typed. */
export function PriceFields({ draft, onDraft, problemOf }: PriceParts): ReactNode {
  const typed = (part: keyof PriceDraft) => ({
    name: part,
    value: draft[part],
    onChange: ({ target }: { target: { value: string } }) => onDraft({ ...draft, [part]: target.value }),
    spellCheck: false,
    autoComplete: "off",
  });
  return (
    <>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {PRICE_PARTS.map(({ part, name, instead }, index) => (
          <Field
            key={part}
            label={name}
            inputMode="decimal"
            autoFocus={index === 0}
            placeholder={instead ?? ""}
            problem={problemOf(part)}
            {...typed(part)}
          />
        ))}
      </div>
      <LinesField
        label="Tools that the provider runs, per call"
        rows={2}
        placeholder="web_search 0.01"
        hint="A line for each: its name and its price."
        problem={problemOf("tools")}
        {...typed("tools")}
      />
      <LinesField
        label="Larger inputs, tiers, regions, hours"
        rows={2}
        placeholder="input_above=272000, times=2"
        hint="A line for each: a condition (input_above=N, tier=flex, region=us, hours=mon-fri 01:00-04:00), and prices (input=5, output=22.5), a factor (times=2), or sold=false."
        problem={problemOf("when")}
        {...typed("when")}
      />
    </>
  );
}
