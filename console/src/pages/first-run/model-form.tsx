import { type ReactNode, useState } from "react";
import type { Change } from "../../api/use-change.ts";
import type { Provider } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { tell } from "../../parts/toast.tsx";
import { type Format, FORMATS, useUsualFormat } from "./provider-test.tsx";
import { Beside, Problem } from "./setup-step.tsx";
import { useStepForm } from "./use-step-form.ts";

const FIELDS = ["id", "route.upstream_model", "context_window", "max_output_tokens", "price.input", "price.output"];

const PLAIN = { provider: "", id: "", upstream: "", format: "chat", context: "", most: "", input: "", output: "" };
type Draft = typeof PLAIN;

const orWord = (text: string, word: string): string => (text === "" ? word : text);
const count = (text: string): number | null => (text === "" ? null : Number(text));

/** As `tollgate models add` is told the same. */
const commandOf = (draft: Draft): string =>
  `tollgate models add ${orWord(draft.id, "MODEL")} --provider ${orWord(draft.provider, "NAME")} --upstream-model ${orWord(draft.upstream, orWord(draft.id, "MODEL"))} --format ${draft.format} --context ${orWord(draft.context, "TOKENS")} --max-output ${orWord(draft.most, "TOKENS")} --input ${orWord(draft.input, "PRICE")} --output ${orWord(draft.output, "PRICE")}`;

/** One model with its route and price, published at once. */
// oxlint-disable-next-line max-lines-per-function -- the fields of one form.
export function ModelForm({ providers }: { providers: readonly Provider[] }): ReactNode {
  const [given, setGiven] = useState<Partial<Draft>>({});
  const provider = providers.find(({ name }) => name === given.provider) ?? providers.at(-1);
  const usual = useUsualFormat(provider);
  const draft: Draft = { ...PLAIN, format: usual, ...given, provider: provider?.name ?? "" };
  const add = async (change: Change): Promise<void> => {
    await change("POST /admin/v1/models", {
      body: {
        id: draft.id,
        context_window: count(draft.context),
        max_output_tokens: count(draft.most),
        price: { input: draft.input, output: draft.output },
        route: {
          provider: draft.provider,
          upstream_model: draft.upstream || draft.id,
          format: draft.format as Format,
        },
      },
    });
    tell(`${draft.id} is published`);
    setGiven({ provider: draft.provider });
  };
  const { send, isBusy, problemOf, otherwise } = useStepForm(add, FIELDS);
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => setGiven({ ...given, [name]: target.value.trim() }),
    autoComplete: "off",
  });
  return (
    <Beside commands={[commandOf(draft)]}>
      <form onSubmit={send} className="grid gap-4 sm:grid-cols-2">
        <Field
          {...field("id")}
          label="Id"
          required
          placeholder="acme-large"
          problem={problemOf("id")}
          hint="What clients ask for."
        />
        <Field
          {...field("upstream")}
          label="Its name at the provider"
          placeholder={draft.id || "acme-large"}
          problem={problemOf("route.upstream_model")}
          hint="Empty: the same as the id."
        />
        <SelectField
          {...field("provider")}
          label="Provider"
          options={providers.map(({ name }) => ({ value: name, name }))}
        />
        <SelectField {...field("format")} label="Format" options={FORMATS} />
        <Field
          {...field("input")}
          label="Price of input"
          inputMode="decimal"
          required
          placeholder="0.40"
          problem={problemOf("price.input")}
          hint="Credits per million tokens."
        />
        <Field
          {...field("output")}
          label="Price of output"
          inputMode="decimal"
          required
          placeholder="1.60"
          problem={problemOf("price.output")}
          hint="Credits per million tokens."
        />
        <Field
          {...field("most")}
          label="Limit of output tokens"
          type="number"
          min={1}
          required
          placeholder="32768"
          problem={problemOf("max_output_tokens")}
          hint="Without it, no request could be bounded."
        />
        <Field
          {...field("context")}
          label="Context window"
          type="number"
          min={1}
          required
          placeholder="128000"
          problem={problemOf("context_window")}
          hint="In tokens, input and output together."
        />
        <div className="flex flex-col gap-3 sm:col-span-2">
          <Problem text={otherwise} />
          <div className="flex justify-end border-t border-line pt-4">
            <Button look="primary" type="submit" busy={isBusy}>
              Add the model
            </Button>
          </div>
        </div>
      </form>
    </Beside>
  );
}
