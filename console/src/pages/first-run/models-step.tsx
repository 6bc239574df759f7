import { type ReactNode, useState } from "react";
import type { Model, Provider } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { ModelForm } from "./model-form.tsx";
import { PriceListForm } from "./price-list-form.tsx";
import { Problem } from "./setup-step.tsx";
import { isUsable } from "./use-setup.ts";
import { useStepForm } from "./use-step-form.ts";

type Props = { providers: readonly Provider[]; models: readonly Model[]; onContinue: () => void };

const SHOWN = 6;
const WAYS = [
  { value: "list", name: "Import a price list" },
  { value: "one", name: "Add one model" },
];

/** What is offered, and at which price. */
export function ModelsStep({ providers, models, onContinue }: Props): ReactNode {
  const [way, setWay] = useState<string | undefined>("list");
  return (
    <div className="flex flex-col gap-4">
      {models.length > 0 && <Offered models={models} onContinue={onContinue} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-ink-2">
          A model has a price in credits per million tokens, and clients can use it once it is published.
        </p>
        <Choice label="How to add models" value={way} choices={WAYS} onChoose={setWay} />
      </div>
      {way === "one" ? <ModelForm providers={providers} /> : <PriceListForm providers={providers} />}
    </div>
  );
}

function Offered({ models, onContinue }: Omit<Props, "providers">): ReactNode {
  const usable = models.filter(isUsable);
  const unpublished = models.filter(({ published }) => !published);
  const blocked = models.filter((model) => model.published && !isUsable(model));
  const publish = useStepForm(
    (change) => change("POST /admin/v1/models/publish", { body: { models: unpublished.map(({ id }) => id) } }),
    [],
  );
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken/60 p-3">
      <ul className="flex flex-col gap-1">
        {usable.slice(0, SHOWN).map(({ id, price }) => (
          <li key={id} className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <span className="font-medium wrap-anywhere">{id}</span>
            <span className="text-ink-2">
              {price?.input} in, {price?.output} out
            </span>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-2 text-ink-2">
        <Badge tone={usable.length > 0 ? "good" : "warn"}>{groupDigits(usable.length)} published</Badge>
        {unpublished.length > 0 && <Badge>{groupDigits(unpublished.length)} not published</Badge>}
        {usable.length > SHOWN && `The first ${SHOWN} are shown.`}
      </p>
      {blocked.slice(0, SHOWN).map(({ id, obstacles }) => (
        <Problem key={id} text={`${id}: ${obstacles.join("; ")}`} />
      ))}
      <Problem text={publish.otherwise} />
      <form onSubmit={publish.send} className="flex flex-wrap justify-between gap-2">
        {unpublished.length > 0 ? (
          <Button type="submit" busy={publish.isBusy}>
            Publish {unpublished.length === 1 ? unpublished[0]?.id : `all ${groupDigits(unpublished.length)}`}
          </Button>
        ) : (
          <span />
        )}
        <Button look="primary" disabled={usable.length === 0} onClick={onContinue}>
          Continue
        </Button>
      </form>
    </div>
  );
}
