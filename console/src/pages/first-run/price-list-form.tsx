import { type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import type { Provider } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Field, INPUT, SelectField } from "../../parts/field.tsx";
import { tell } from "../../parts/toast.tsx";
import type { Compared } from "../models/compared.ts";
import { PriceListDiff } from "../models/price-list-diff.tsx";
import { useTicks } from "../models/use-ticks.ts";
import { Beside, Problem } from "./setup-step.tsx";
import { useStepForm } from "./use-step-form.ts";

const FIELDS = ["provider", "list", "vendor", "match", "markup"];
const FILE = "prices.json";

/** What is compared, and then written. */
type Order = {
  provider: string;
  /** Null: the list that ships with Tollgate. */
  list: string | null;
  accept_old_list: boolean;
  vendor: string | null;
  match: string;
  markup: string;
  published: boolean;
};

/** A list of many models and prices: first what it would change, then, on a second press, the change. */
export function PriceListForm({ providers }: { providers: readonly Provider[] }): ReactNode {
  const [seen, setSeen] = useState<{ order: Order; compared: Compared } | null>(null);
  const [said, setSaid] = useState({ provider: providers.at(-1)?.name ?? "NAME", vendor: "", match: "*", markup: "1" });
  const [file, setFile] = useState<File | null>(null);
  const [published, setPublished] = useState(true);
  const [acceptOld, setAcceptOld] = useState(false);
  const ticks = useTicks(seen?.compared);
  const compare = useStepForm(async () => {
    const list = file === null ? null : await file.text();
    const order: Order = { ...said, vendor: said.vendor || null, list, accept_old_list: acceptOld, published };
    setSeen({ order, compared: await call("POST /admin/v1/models/import/litellm", { body: order }) });
  }, FIELDS);
  const apply = useStepForm(async (change) => {
    if (seen === null) return;
    await change("POST /admin/v1/models/import/litellm", { body: { ...seen.order, ids: [...ticks.ids], apply: true } });
    tell(`${groupDigits(ticks.ids.length)} models written`);
    setSeen(null);
  }, []);
  const text = (name: keyof typeof said) => ({
    name,
    value: said[name],
    autoComplete: "off",
    onChange: ({ target }: { target: { value: string } }) => {
      setSaid({ ...said, [name]: target.value.trim() });
      setSeen(null);
    },
    problem: compare.problemOf(name),
  });
  return (
    <>
      <Beside commands={commandsOf(said, { published, file, acceptOld })}>
        <form onSubmit={compare.send} className="grid gap-4 sm:grid-cols-2">
          <ListFile problem={compare.problemOf("list")} onFile={(picked) => (setFile(picked), setSeen(null))} />
          <SelectField
            {...text("provider")}
            label="Provider that serves them"
            options={providers.map(({ name }) => ({ value: name, name }))}
          />
          <Field
            {...text("vendor")}
            label="Vendor in the list"
            placeholder={said.provider}
            hint="Empty: the provider’s name."
          />
          <Field {...text("match")} label="Only these ids" required hint="* matches any characters." />
          <Field {...text("markup")} label="Markup" required inputMode="decimal" hint="1.2 adds 20 % to every price." />
          <div className="flex flex-col justify-center gap-2">
            <Tick checked={published} onTick={(ticked) => (setPublished(ticked), setSeen(null))}>
              Publish new models at once
            </Tick>
            {file === null && (
              <Tick checked={acceptOld} onTick={(ticked) => (setAcceptOld(ticked), setSeen(null))}>
                Also if the list is older than 45 days
              </Tick>
            )}
          </div>
          <div className="flex flex-col gap-3 sm:col-span-2">
            <Problem text={compare.otherwise} />
            <div className="flex justify-end border-t border-line pt-4">
              <Button look={seen === null ? "primary" : "plain"} type="submit" busy={compare.isBusy}>
                Compare with the catalogue
              </Button>
            </div>
          </div>
        </form>
      </Beside>
      {seen !== null && (
        <form onSubmit={apply.send} className="flex flex-col gap-3">
          <PriceListDiff compared={seen.compared} ticks={ticks} />
          <Problem text={apply.otherwise} />
          <div className="flex justify-end">
            <Button look="primary" type="submit" busy={apply.isBusy} disabled={ticks.ids.length === 0}>
              Write {groupDigits(ticks.ids.length)} models
            </Button>
          </div>
        </form>
      )}
    </>
  );
}

const ListFile = ({ problem, onFile }: { problem: string | null; onFile: (file: File | null) => void }): ReactNode => (
  <label className="flex min-w-0 flex-col gap-1 font-medium">
    Price list
    <input
      type="file"
      accept=".json,application/json"
      aria-invalid={problem !== null}
      onChange={({ target }) => onFile(target.files?.[0] ?? null)}
      className={`${INPUT} py-1 font-normal file:mr-2 file:rounded-sm file:bg-sunken file:px-2 file:text-ink`}
    />
    <span className={`text-small font-normal ${problem === null ? "text-ink-3" : "text-bad"}`}>
      {problem ?? "LiteLLM’s model_prices_and_context_window.json. Empty: the list that ships with Tollgate."}
    </span>
  </label>
);

type TickProps = { checked: boolean; onTick: (ticked: boolean) => void; children: ReactNode };

const Tick = ({ checked, onTick, children }: TickProps): ReactNode => (
  <label className="flex items-center gap-2">
    <input
      type="checkbox"
      checked={checked}
      onChange={({ target }) => onTick(target.checked)}
      className="size-4 accent-accent"
    />
    {children}
  </label>
);

function commandsOf(
  said: { provider: string; vendor: string; match: string; markup: string },
  { published, file, acceptOld }: { published: boolean; file: File | null; acceptOld: boolean },
): string[] {
  const options = [
    said.vendor && `--vendor ${said.vendor}`,
    said.match !== "*" && `--match '${said.match}'`,
    said.markup !== "1" && `--markup ${said.markup}`,
    published && "--publish",
    file === null && acceptOld && "--accept-old-list",
  ].filter(Boolean);
  const line = ["tollgate models import", ...(file ? [FILE] : []), `--provider ${said.provider}`, ...options].join(" ");
  return [line, `${line} --apply`];
}
